// Answers requests, and keeps the last 100 answers. Where a collection can be asked for
// (--expose-gc), V8's own memory is level.
const http = require("http");
const last = [];

if (global.gc) setInterval(global.gc, 200);

http.createServer((request, response) => {
  const answer = { url: request.url, time: Date.now(), numbers: Array.from({ length: 50 }, (_, i) => i * i) };
  last.push(answer);
  if (last.length > 100) last.shift();
  response.end(JSON.stringify(answer));
}).listen(Number(process.argv[2]), "127.0.0.1");
