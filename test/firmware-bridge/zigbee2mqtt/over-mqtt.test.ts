import { replayFamilyOverMqtt } from "../../support/replay-over-mqtt.ts";

replayFamilyOverMqtt("zigbee2mqtt");
