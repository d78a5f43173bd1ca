// Answers requests, and keeps the last 100 answers.
const http = require("http");
const last = [];

http.createServer((request, response) => {
  const answer = { url: request.url, time: Date.now(), numbers: Array.from({ length: 50 }, (_, i) => i * i) };
  last.push(answer);
  if (last.length > 100) last.shift();
  response.end(JSON.stringify(answer));
}).listen(Number(process.argv[2]), "127.0.0.1");
