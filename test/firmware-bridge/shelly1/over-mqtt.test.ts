import { replayFamilyOverMqtt } from "../../support/replay-over-mqtt.js";

replayFamilyOverMqtt("shelly1");
