/* Runs an interpreter three times in one process, each time with a second one inside;
 * the last time it ends with both alive. */
#include <Python.h>
#include <stdio.h>
#include <unistd.h>

static const char *Functions = "def make_first(): return [object() for i in range(3001)]\n"
                               "def make_second(): return [object() for i in range(3002)]\n"
                               "def make_third(): return [object() for i in range(3003)]\n"
                               "def make_inner(): return [object() for i in range(3333)]\n"
                               "def churn():\n"
                               "  for i in range(200): [object() for j in range(1000)]\n";

static void run(const char *Code) {
  if (PyRun_SimpleString(Functions) || PyRun_SimpleString("churn()") ||
      PyRun_SimpleString(Code))
    _exit(1);
}

int main(void) {
  const char *Rounds[] = {"kept = make_first()", "kept = make_second()",
                          "kept = make_third()"};
  for (int I = 0; I != 3; ++I) {
    Py_InitializeEx(0);
    run(Rounds[I]);
    PyThreadState *Main = PyThreadState_Get();
    PyThreadState *Inner = Py_NewInterpreter();
    if (!Inner)
      return 2;
    run("kept = make_inner()");
    PyThreadState_Swap(Main);
    run("more = make_inner()");
    if (I == 2)
      break;
    PyThreadState_Swap(Inner);
    Py_EndInterpreter(Inner);
    PyThreadState_Swap(Main);
    if (Py_FinalizeEx())
      return 3;
  }
  printf("three rounds\n");
  fflush(stdout);
  _exit(0);
}
