// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Model Context Protocol on standard input and output.

#include "Agents/Server.h"
#include "Support/CommandText.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <chrono>
#include <poll.h>
#include <unistd.h>

using namespace llvm;
using namespace memkit;

/// Codes of JSON-RPC 2.0, and of the protocol.
enum : int {
  ParseError = -32700,
  InvalidRequest = -32600,
  MethodNotFound = -32601,
  InvalidParams = -32602,
  UnsupportedVersion = -32022
};
static constexpr StringLiteral Stateless = "2026-07-28";
static constexpr StringLiteral WithHandshake[] = {"2025-11-25", "2025-06-18"};
static constexpr StringLiteral VersionKey =
    "io.modelcontextprotocol/protocolVersion";
static constexpr StringLiteral CapabilitiesKey =
    "io.modelcontextprotocol/clientCapabilities";
static constexpr StringLiteral Instructions =
    "memkit answers questions about the memory of recorded programs. Begin "
    "with "
    "overview; leaks, diff, flame_top and source go on from there. The verdict "
    "LEAK means that memory grows while the program repeats itself; grows may "
    "be loading.";

namespace {
/// What the tool that runs is for.
enum class RunStage : uint8_t { Record, Answer, Import };
} // namespace

using SteadyClock = std::chrono::steady_clock;

/// A question whose tool runs.
struct Server::Running {
  llvm::json::Value Id = nullptr;
  std::optional<llvm::json::Value> ProgressToken;
  bool IsStateless = false; ///< of revision 2026-07-28
  PlannedAnswer Plan;
  SteadyClock::time_point Begin, NextProgress;
  unsigned Seconds = 0; ///< of the last progress
  RunStage For = RunStage::Answer;
  std::string Recorded;     ///< what became of the command that was recorded
  size_t NextImport = 0;    ///< of the inputs; 0: nothing was tried
  bool HasImported = false; ///< one of the inputs
  std::string Failure;      ///< why the tool had no answer
  unsigned Interrupts = 0;  ///< of a command that takes too long
  std::optional<ToolRun> Run;
};

Server::Server(Folders Of, ServerOptions Options)
    : Of(std::move(Of)), Options(std::move(Options)) {}
Server::~Server() = default;

/// Whether no value lies deeper than MaxDepth: the parser calls itself.
static bool isFlat(StringRef Line) {
  constexpr unsigned MaxDepth = 64;
  unsigned Depth = 0;
  bool IsInString = false;
  for (size_t I = 0; I < Line.size(); ++I) {
    char C = Line[I];
    if (IsInString) {
      I += C == '\\';
      IsInString = C != '"';
    } else if (C == '"')
      IsInString = true;
    else if (C == '{' || C == '[') {
      if (++Depth > MaxDepth)
        return false;
    } else if ((C == '}' || C == ']') && Depth)
      --Depth;
  }
  return true;
}

static json::Object serverInfo() {
  return json::Object{{"name", "memkit"}, {"version", MEMKIT_VERSION}};
}

void Server::run() {
  while (!IsClosed && !(HasEnded && !Now && Waiting.empty())) {
    while (!Now && !Waiting.empty() && !IsClosed) {
      json::Object Request = std::move(Waiting.front());
      Waiting.pop_front();
      handle(Request);
    }
    if (!IsClosed && (Now || !HasEnded))
      wait();
  }
}

/// Waits for input or for the tool that runs.
void Server::wait() {
  std::vector<pollfd> Polls;
  bool Reads = !HasEnded && hasRoom();
  Polls.push_back({Reads ? Options.Input : -1, POLLIN, 0});
  if (Now)
    Now->Run->addPolls(Polls);
  constexpr int LookMs = 200;
  if (poll(Polls.data(), Polls.size(), Now ? LookMs : -1) < 0 && errno != EINTR)
    HasEnded = true;
  if (Polls[0].revents)
    readInput();
  if (Now)
    lookAtRun();
}

void Server::readInput() {
  char Piece[65536];
  ssize_t N = read(Options.Input, Piece, sizeof(Piece));
  if (N < 0 && errno == EINTR)
    return;
  if (N <= 0) {
    HasEnded = true;
    // The last line may have no end.
    if (!IsTooLong)
      takeLine(Input);
    return;
  }
  StringRef Rest(Piece, size_t(N));
  for (;;) {
    size_t End = Rest.find('\n');
    StringRef Part = Rest.take_front(End);
    if (Input.size() + Part.size() > MaxLine)
      IsTooLong = true;
    if (!IsTooLong)
      Input += Part;
    if (End == StringRef::npos)
      return;
    Rest = Rest.drop_front(End + 1);
    if (IsTooLong)
      sendError(nullptr, InvalidRequest,
                "the request has more than 1 MiB, and is left out");
    else
      takeLine(Input);
    Input.clear();
    IsTooLong = false;
  }
}

/// Queues a request, and takes a cancellation at once.
void Server::takeLine(StringRef Line) {
  if (Line.trim().empty())
    return;
  if (!isFlat(Line))
    return sendError(nullptr, ParseError, "the request is nested too deeply");
  Expected<json::Value> Parsed = json::parse(Line);
  if (!Parsed)
    return sendError(nullptr, ParseError, toString(Parsed.takeError()));
  json::Object *Request = Parsed->getAsObject();
  if (!Request || Request->getString("jsonrpc") != StringRef("2.0"))
    return sendError(nullptr, InvalidRequest,
                     "a request is an object of JSON-RPC 2.0");
  std::optional<StringRef> Method = Request->getString("method");
  if (!Method) {
    // Of a response; this server asks nothing.
    if (!Request->get("result") && !Request->get("error"))
      sendError(nullptr, InvalidRequest, "the request has no method");
    return;
  }
  if (*Method == "notifications/cancelled") {
    if (const json::Object *Params = Request->getObject("params"))
      cancel(*Params);
  } else if (Request->get("id"))
    Waiting.push_back(std::move(*Request));
}

void Server::cancel(const json::Object &Params) {
  const json::Value *Id = Params.get("requestId");
  if (!Id)
    return;
  // What is cancelled has no answer.
  erase_if(Waiting, [&](const json::Object &R) { return *R.get("id") == *Id; });
  if (Now && Now->Id == *Id)
    Now.reset();
}

void Server::handle(const json::Object &Request) {
  const json::Value &Id = *Request.get("id");
  StringRef Method = *Request.getString("method");
  static const json::Object None;
  const json::Object *Given = Request.getObject("params");
  const json::Object &Params = Given ? *Given : None;
  const json::Object *Meta = Params.getObject("_meta");
  std::optional<StringRef> Version;
  if (Meta)
    Version = Meta->getString(VersionKey);
  bool IsStateless = Version == StringRef(Stateless);
  if (IsStateless && !Meta->getObject(CapabilitiesKey))
    return sendError(Id, InvalidParams,
                     "a request of this version has " + CapabilitiesKey.str());
  if (Version && !IsStateless && !is_contained(WithHandshake, *Version))
    return sendError(
        Id, UnsupportedVersion, "this version is not supported",
        json::Object{{"supported", json::Array{Stateless, WithHandshake[0],
                                               WithHandshake[1]}},
                     {"requested", json::fixUTF8(*Version)}});
  json::Object Capabilities{{"tools", json::Object{}}};
  if (Method == "initialize") {
    std::optional<StringRef> Asked = Params.getString("protocolVersion");
    StringRef Used = Asked && is_contained(WithHandshake, *Asked)
                         ? *Asked
                         : StringRef(WithHandshake[0]);
    return sendResult(Id,
                      json::Object{{"protocolVersion", Used},
                                   {"capabilities", std::move(Capabilities)},
                                   {"serverInfo", serverInfo()},
                                   {"instructions", Instructions}},
                      false);
  }
  if (Method == "server/discover")
    return sendResult(Id,
                      json::Object{{"supportedVersions",
                                    json::Array{Stateless, WithHandshake[0],
                                                WithHandshake[1]}},
                                   {"capabilities", std::move(Capabilities)},
                                   {"instructions", Instructions},
                                   {"ttlMs", 0},
                                   {"cacheScope", "private"}},
                      true);
  if (Method == "ping")
    return sendResult(Id, {}, IsStateless);
  if (Method == "tools/list") {
    json::Object Result{{"tools", questionList(Options.MayRecord)}};
    if (IsStateless) {
      Result["ttlMs"] = 0;
      Result["cacheScope"] = "private";
    }
    return sendResult(Id, std::move(Result), IsStateless);
  }
  if (Method == "tools/call")
    return handleCall(Id, Params, IsStateless);
  sendError(Id, MethodNotFound,
            "there is no method '" + oneLine(Method) + "' here");
}

void Server::handleCall(const json::Value &Id, const json::Object &Params,
                        bool IsStateless) {
  std::optional<StringRef> Name = Params.getString("name");
  if (!Name)
    return sendError(Id, InvalidParams, "tools/call needs the name of a tool");
  const json::Value *Arguments = Params.get("arguments");
  if (Arguments && !Arguments->getAsObject())
    return sendError(Id, InvalidParams, "arguments is an object");
  Expected<PlannedAnswer> Plan =
      planAnswer(*Name, Arguments ? Arguments->getAsObject() : nullptr, Of,
                 Options.MayRecord);
  // An error that the model can read, and mend.
  if (!Plan)
    return sendText(Id, toString(Plan.takeError()), true, IsStateless);
  std::optional<json::Value> Token;
  if (const json::Object *Meta = Params.getObject("_meta"))
    if (const json::Value *T = Meta->get("progressToken"))
      Token = *T;
  SteadyClock::time_point Begin = SteadyClock::now();
  Now = std::make_unique<Running>();
  Now->Id = Id;
  Now->ProgressToken = std::move(Token);
  Now->IsStateless = IsStateless;
  Now->Plan = std::move(*Plan);
  Now->Begin = Begin;
  Now->NextProgress = Begin + std::chrono::seconds(1);
  if (Now->Plan.Command.empty())
    startAnswer();
  else
    startRecording();
}

//===----------------------------------------------------------------------===//
// Runs of tools
//===----------------------------------------------------------------------===//

/// Answers with an error.
void Server::fail(std::string Text) {
  sendText(Now->Id, std::move(Text), true, Now->IsStateless);
  Now.reset();
}

void Server::startRun(const ToolPlan &Plan) {
  Expected<ToolRun> Run = Options.Start(Plan);
  if (!Run)
    return fail(toString(Run.takeError()));
  Now->Run.reset();
  Now->Run.emplace(std::move(*Run));
}

void Server::startRecording() {
  Now->For = RunStage::Record;
  ToolPlan Plan;
  Plan.Tool = "memrec";
  Plan.Arguments = {"-q", "-o", Now->Plan.Inputs[0], "--"};
  Plan.Output = ToolOutput::Begin;
  Plan.Folder = Of.first().str();
  append_range(Plan.Arguments, Now->Plan.Command);
  startRun(Plan);
}

void Server::startAnswer() {
  Now->For = RunStage::Answer;
  ToolPlan Plan;
  Plan.Tool = Now->Plan.Tool;
  Plan.Arguments = Now->Plan.Arguments;
  Plan.Arguments.push_back("--");
  for (const std::string &Input : Now->Plan.Inputs) {
    std::string Trace = Imported.find(Input);
    Plan.Arguments.push_back(Trace.empty() ? Input : Trace);
  }
  startRun(Plan);
}

/// Makes traces of inputs that were none, one after the other; then asks again.
void Server::startImport() {
  Now->For = RunStage::Import;
  while (Now->NextImport != Now->Plan.Inputs.size()) {
    const std::string &Input = Now->Plan.Inputs[Now->NextImport++];
    if (!Imported.find(Input).empty())
      continue;
    Expected<int> File = Imported.begin(Input);
    if (!File) {
      consumeError(File.takeError()); // the tool's own error tells more
      continue;
    }
    ToolPlan Plan;
    Plan.Tool = "memimport";
    Plan.Arguments = {"-q", "-o", "-", "--", Input};
    Plan.Output = ToolOutput::File;
    Plan.File = *File;
    return startRun(Plan);
  }
  if (!Now->HasImported)
    return fail(std::move(Now->Failure));
  startAnswer();
}

void Server::lookAtRun() {
  if (Now->Run->take())
    return finishRun();
  lookAtTime();
}

void Server::lookAtTime() {
  using std::chrono::seconds;
  constexpr auto MaxTime = std::chrono::minutes(10);
  SteadyClock::time_point Time = SteadyClock::now();
  auto Took = Time - Now->Begin;
  // memrec passes the first signal on to the command, and ends at the second.
  constexpr unsigned MaxInterrupts = 2;
  constexpr auto Between = seconds(5);
  if (Now->For == RunStage::Record && Now->Interrupts != MaxInterrupts &&
      Took > seconds(Now->Plan.Seconds) + Now->Interrupts * Between) {
    ++Now->Interrupts;
    Now->Run->interrupt();
  }
  if (Took > MaxTime + seconds(Now->Plan.Seconds))
    return fail("no answer in ten minutes");
  if (!Now->ProgressToken || Time < Now->NextProgress)
    return;
  Now->NextProgress += seconds(1);
  send(json::Object{
      {"jsonrpc", "2.0"},
      {"method", "notifications/progress"},
      {"params", json::Object{{"progressToken", *Now->ProgressToken},
                              {"progress", ++Now->Seconds},
                              {"message", Now->For == RunStage::Record
                                              ? "recording the command"
                                              : "reading the trace"}}}});
}

void Server::finishRun() {
  int Status = Now->Run->finish();
  switch (Now->For) {
  case RunStage::Record:
    return finishRecording(Status);
  case RunStage::Answer:
    return finishAnswer(Status);
  case RunStage::Import:
    Now->HasImported |= Status == 0;
    if (Status)
      Imported.drop();
    else
      Imported.keep();
    return startImport();
  }
}

void Server::finishRecording(int Status) {
  std::string &Text = Now->Recorded;
  Text = Now->Interrupts
             ? "ended after " + std::to_string(Now->Plan.Seconds) + " s"
         : Status >= 128 ? "ended by signal " + std::to_string(Status - 128)
                         : "exit status " + std::to_string(Status);
  Text += "\n";
  constexpr size_t MaxShown = 2000;
  for (auto [Name, All] :
       {std::pair<StringRef, StringRef>{"output", Now->Run->output()},
        {"messages", Now->Run->messages()}})
    if (!All.trim().empty())
      Text +=
          (Name + " begins:\n" + All.take_front(MaxShown).rtrim() + "\n").str();
  Text += "\n";
  startAnswer();
}

/// What a tool warns of belongs to its answer: the trace is cut off, say. That
/// a section is empty does not: a question names all that may have something.
static std::string warningsIn(StringRef Messages) {
  std::string Text;
  SmallVector<StringRef> Lines;
  Messages.split(Lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef Line : Lines)
    if (Line.contains(": warning: ") && !Line.contains("--show="))
      Text += (Line + "\n").str();
  return Text;
}

void Server::finishAnswer(int Status) {
  // A tool whose output is cut is killed.
  const ToolRun &Run = *Now->Run;
  bool IsCut = Run.isCut(), IsError = Status != 0 && !IsCut;
  std::string Text;
  if (!IsError) {
    Expected<std::string> Answer =
        answerText(Now->Plan.Rows, Now->Plan.Narrower, Run.output(), IsCut);
    if (!Answer)
      return fail(toString(Answer.takeError()));
    Text = std::move(*Answer);
  }
  if (IsError || Text.empty())
    Text += Run.messages();
  else
    Text += StringRef(warningsIn(Run.messages()))
                .take_front(MaxAnswer - std::min(MaxAnswer, Text.size()));
  if (Text.empty())
    Text = Status >= 128 ? Now->Plan.Tool + " ended by signal " +
                               std::to_string(Status - 128)
                         : "nothing to tell";
  Text = Now->Recorded + Text;
  if (IsError && !Now->NextImport && Now->Plan.Command.empty()) {
    Now->Failure = std::move(Text);
    return startImport();
  }
  sendText(Now->Id, std::move(Text), IsError, Now->IsStateless);
  Now.reset();
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

void Server::send(json::Object Message) {
  std::string Line;
  raw_string_ostream(Line) << json::Value(std::move(Message));
  Line += '\n';
  StringRef Rest = Line;
  while (!Rest.empty() && !IsClosed) {
    ssize_t N = write(Options.Output, Rest.data(), Rest.size());
    if (N >= 0)
      Rest = Rest.drop_front(size_t(N));
    else if (errno != EINTR)
      IsClosed = true;
  }
}

void Server::sendResult(const json::Value &Id, json::Object Result,
                        bool IsStateless) {
  if (IsStateless) {
    Result["resultType"] = "complete";
    Result["_meta"] =
        json::Object{{"io.modelcontextprotocol/serverInfo", serverInfo()}};
  }
  send(json::Object{
      {"jsonrpc", "2.0"}, {"id", Id}, {"result", std::move(Result)}});
}

void Server::sendError(const json::Value &Id, int Code, StringRef Text,
                       std::optional<json::Value> Data) {
  json::Object Problem{{"code", Code}, {"message", json::fixUTF8(Text)}};
  if (Data)
    Problem["data"] = std::move(*Data);
  send(json::Object{
      {"jsonrpc", "2.0"}, {"id", Id}, {"error", std::move(Problem)}});
}

void Server::sendText(const json::Value &Id, std::string Text, bool IsError,
                      bool IsStateless) {
  json::Array Content{
      json::Object{{"type", "text"}, {"text", json::fixUTF8(Text)}}};
  sendResult(
      Id, json::Object{{"content", std::move(Content)}, {"isError", IsError}},
      IsStateless);
}
