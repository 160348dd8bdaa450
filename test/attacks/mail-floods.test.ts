/** A mail server that sends endlessly. The library keeps every line: the event loop used to block for seconds. */
import { type AddressInfo, createServer } from "node:net";
import t from "tap";
import { sendEmail } from "../../src/features/notifications/email.ts";

t.test("the hub hangs up on a mail server that greets and then floods it with empty lines", async (t) => {
  const flood = Buffer.alloc(16_384, "\n");
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      const more = (): void => {
        while (!socket.destroyed && socket.write(flood));
        socket.once("drain", more);
      };
      more();
    });
    socket.write("220 mail.example\r\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.teardown(() => server.close());
  const message = {
    title: "t",
    body: "",
    moment: "",
    path: "/",
    footer: "",
    urgent: false,
    picture: null,
    question: null,
  };
  const outcome = await sendEmail(
    { tag: null, ...message, at: 0, ttlSeconds: 60 },
    {
      host: "127.0.0.1",
      port: (server.address() as AddressInfo).port,
      security: "none",
      user: null,
      password: null,
      from: "hub@example.org",
      to: "asha@example.org",
      pictures: false,
      consoleUrl: null,
      targets: { allowLoopback: true, ownPorts: () => [], ownAddresses: () => [] },
      timeoutMs: 10_000,
      signal: new AbortController().signal,
    },
  );
  t.hasStrict(outcome, { result: "retry", words: { code: "notify.away", why: "the server sends too much" } });
});
