/** A mail server that sends without end. The library keeps each line: the event loop stood still for seconds. */
import { type AddressInfo, createServer } from "node:net";
import t from "tap";
import { sendEmail } from "../../src/notifications/email.js";

t.test("a mail server that greets and then floods with empty lines is hung up on", async (t) => {
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
    { ...message, at: 0, ttlSeconds: 60 },
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
  t.match(outcome, { result: "retry", words: { code: "notify.away", why: "the server sends too much" } });
});
