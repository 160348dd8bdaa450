import { replayFamilyOverMqtt } from "../../support/replay-over-mqtt.ts";

replayFamilyOverMqtt("esphome");
