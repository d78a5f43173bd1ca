# MEMKIT_LLVM_INCLUDES: LLVM's headers, with a DenseMap whose memory may fail.
#
# LLVM ends a process that has no memory, so its DenseMap takes its new size before it has the
# buckets, and a key before the value. Where an allocation throws instead, as in libmemkit, the
# destructor then reads memory that is not there. The copy of the header takes them in the other
# order; nothing else differs.
set(fixed ${PROJECT_BINARY_DIR}/llvm-headers)
file(READ ${LLVM_INCLUDE_DIRS}/llvm/ADT/DenseMap.h header)

# Replaces a text that is there exactly as often as wanted.
macro(memkit_replace from to times)
  string(LENGTH "${header}" before)
  string(LENGTH "${from}" removed)
  string(REPLACE "${from}" "" without "${header}")
  string(LENGTH "${without}" after)
  math(EXPR found "(${before} - ${after}) / ${removed}")
  if(NOT found EQUAL ${times})
    message(FATAL_ERROR "llvm/ADT/DenseMap.h is not the one that cmake/LlvmHeaders.cmake knows: \
${found} places in place of ${times}")
  endif()
  string(REPLACE "${from}" "${to}" header "${header}")
endmacro()

memkit_replace("    NumBuckets = Num;
    if (NumBuckets == 0) {
      Buckets = nullptr;
      return false;
    }

    Buckets = static_cast<BucketT *>(
        allocate_buffer(sizeof(BucketT) * NumBuckets, alignof(BucketT)));
    return true;
" "    NumBuckets = 0;
    Buckets = nullptr;
    if (Num == 0)
      return false;
    Buckets = static_cast<BucketT *>(
        allocate_buffer(sizeof(BucketT) * Num, alignof(BucketT)));
    NumBuckets = Num;
    return true;
" 1)
memkit_replace("    TheBucket->getFirst() = std::forward<KeyArg>(Key);
    ::new (&TheBucket->getSecond()) ValueT(std::forward<ValueArgs>(Values)...);
" "    ::new (&TheBucket->getSecond()) ValueT(std::forward<ValueArgs>(Values)...);
    TheBucket->getFirst() = std::forward<KeyArg>(Key);
" 1)
file(CONFIGURE OUTPUT ${fixed}/llvm/ADT/DenseMap.h CONTENT "${header}" @ONLY)
set(MEMKIT_LLVM_INCLUDES ${fixed} ${LLVM_INCLUDE_DIRS})
