// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of the interpreter.

#ifndef MEMKIT_CAPTURE_PYTHON_PYTHONCALLS_H
#define MEMKIT_CAPTURE_PYTHON_PYTHONCALLS_H

#include "PendingCalls.h"

#include <cstdint>
#include <initializer_list>

namespace memkit::capture {

/// Python's PyMethodDef.
struct PythonMethod {
  const char *Name;
  void *(*Function)(void *, void *);
  int Flags;
  const char *Text;
  static constexpr int TakesOne = 8; ///< METH_O
};

/// The interpreter's functions, by the names of Python's C API. All but pending
/// calls need the interpreter's lock.
struct PythonCalls {
  PendingCalls Pending;
  void *(*Import)(const char *);
  void *(*GetAttribute)(void *, const char *);
  void *(*Call)(void *, void *);
  void *(*Iterate)(void *);
  void *(*Next)(void *);
  void *(*DictItem)(void *, const char *);
  void *(*TupleItem)(void *, intptr_t);
  void *(*ListItem)(void *, intptr_t);
  intptr_t (*ListSize)(void *);
  void *(*ToText)(void *);
  const char *(*Utf8)(void *);
  void *(*FromPointer)(void *);
  void *(*ToPointer)(void *);
  void *(*WeakReference)(void *, void *);
  void *(*NewFunction)(void *, void *, void *);
  void (*Take)(void *);
  void (*Drop)(void *);
  void (*FetchError)(void **, void **, void **);
  void (*RestoreError)(void *, void *, void *);
  void (*ClearError)();

  bool find(const Exports &E) {
    return Pending.find(E) && E.find("PyImport_ImportModule", Import) &&
           E.find("PyObject_GetAttrString", GetAttribute) &&
           E.find("PyObject_CallObject", Call) &&
           E.find("PyObject_GetIter", Iterate) && E.find("PyIter_Next", Next) &&
           E.find("PyDict_GetItemString", DictItem) &&
           E.find("PyTuple_GetItem", TupleItem) &&
           E.find("PyList_GetItem", ListItem) &&
           E.find("PyList_Size", ListSize) && E.find("PyObject_Str", ToText) &&
           E.find("PyUnicode_AsUTF8", Utf8) &&
           E.find("PyLong_FromVoidPtr", FromPointer) &&
           E.find("PyLong_AsVoidPtr", ToPointer) &&
           E.find("PyWeakref_NewRef", WeakReference) &&
           E.find("PyCFunction_NewEx", NewFunction) &&
           E.find("Py_IncRef", Take) && E.find("Py_DecRef", Drop) &&
           E.find("PyErr_Fetch", FetchError) &&
           E.find("PyErr_Restore", RestoreError) &&
           E.find("PyErr_Clear", ClearError);
  }
  /// Calls the method Name of Object; null, with a Python error set, on
  /// failure.
  void *callMethod(void *Object, const char *Name) {
    void *Method = GetAttribute(Object, Name);
    void *Result = Method ? Call(Method, nullptr) : nullptr;
    if (Method)
      Drop(Method);
    return Result;
  }
  /// Makes a weak reference that calls Dies with the address of Object as its
  /// self, an int, and the reference, which Dies drops. False, without a Python
  /// error: not possible. Dies stays as long as the program.
  bool callAtDeath(void *Object, PythonMethod &Dies) {
    void *Number = FromPointer(Object);
    void *Callback = Number ? NewFunction(&Dies, Number, nullptr) : nullptr;
    void *Reference = Callback ? WeakReference(Object, Callback) : nullptr;
    for (void *P : {Callback, Number})
      if (P)
        Drop(P);
    if (!Reference)
      ClearError();
    return Reference;
  }
  /// Calls F with each item of Object.values(); Object may be null.
  template <class F> void forEachValue(void *Object, F Do) {
    void *Values = Object ? callMethod(Object, "values") : nullptr;
    void *Each = Values ? Iterate(Values) : nullptr;
    while (void *Value = Each ? Next(Each) : nullptr) {
      Do(Value);
      Drop(Value);
    }
    for (void *P : {Each, Values})
      if (P)
        Drop(P);
    ClearError();
  }
};

/// Children of fork keep the functions, for callbacks that the parent left.
extern constinit PythonCalls Py;

/// Keeps the thread's Python error from the code that lives as long, and drops
/// the errors of this code.
class KeptError {
public:
  KeptError() { Py.FetchError(&Parts[0], &Parts[1], &Parts[2]); }
  ~KeptError() {
    Py.ClearError();
    Py.RestoreError(Parts[0], Parts[1], Parts[2]);
  }
  KeptError(const KeptError &) = delete;
  KeptError &operator=(const KeptError &) = delete;

private:
  void *Parts[3];
};

} // namespace memkit::capture

#endif // MEMKIT_CAPTURE_PYTHON_PYTHONCALLS_H
