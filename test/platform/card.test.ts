import { statSync } from "node:fs";
import { join } from "node:path";
import t from "tap";
import { underVoltage } from "../../src/core/platform/board.ts";
import { cardCondition, cardOf, deviceBytesWritten } from "../../src/core/platform/card.ts";
import { testFolder } from "../support/test-folder.ts";

t.test("the device below a folder, its written bytes and its health", async (t) => {
  const { dev } = statSync(".");
  const number = `${((dev >> 8) & 0xfff) | ((dev / 2 ** 32) & ~0xfff)}:${(dev & 0xff) | ((dev >> 12) & 0xfff00)}`;
  const sys = testFolder(t, {
    devices: { mmcblk0: { mmcblk0p3: { partition: "3" } } },
    dev: { block: { [number]: t.fixture("symlink", "../../devices/mmcblk0/mmcblk0p3") } },
    block: {
      mmcblk0: {
        size: "62500000\n",
        stat: "1 2 3 4 5 6 1000 8 9 10 11\n",
        device: { life_time: "0x01 0x0a\n", pre_eol_info: "0x01\n" },
      },
    },
    fs: { ext4: { mmcblk0p3: { errors_count: "2\n" } } },
    class: { hwmon: { hwmon0: { name: "cpu" }, hwmon7: { name: "rpi_volt\n", in0_lcrit_alarm: "1\n" } } },
  });
  const card = cardOf(".", sys);
  t.same(card, { device: "mmcblk0", partition: "mmcblk0p3", bytes: 32_000_000_000 });
  if (card === null) return;
  t.equal(deviceBytesWritten(card, sys), 512_000);
  t.same(cardCondition(card, sys), { fileSystemErrors: 2, deviceErrors: null, lifeTenths: 10, spare: 1 });
  t.equal(underVoltage(sys), true);
  t.equal(cardOf(".", join(sys, "none")), null);
  t.equal(underVoltage(join(sys, "none")), null);
});
