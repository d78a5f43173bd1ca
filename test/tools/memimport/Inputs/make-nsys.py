"""Writes a small export of Nsight Systems: make-nsys.py FILE [KIND]."""
import sqlite3
import sys

path = sys.argv[1]
kind = sys.argv[2] if len(sys.argv) > 2 else "new"
db = sqlite3.connect(path)
if kind == "other":
    db.execute("CREATE TABLE notes (text TEXT)")
    db.commit()
    sys.exit()

PID = 42
GLOBAL = PID << 24
THREAD = GLOBAL | 43
strings = ["cudaMalloc_v3020", "main", "/bin/train", "epoch", "cudaMallocAsync_v11020"]
db.execute("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT NOT NULL)")
db.executemany("INSERT INTO StringIds VALUES (?, ?)", enumerate(strings, 1))
db.execute("CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT)")
db.execute("INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2026.1')")
db.execute("CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT)")
db.execute("INSERT INTO PROCESSES VALUES (?, ?, 'train')", (GLOBAL, PID))
db.execute("CREATE TABLE MPI_RANKS (globalTid INTEGER, rank INTEGER)")
db.execute("INSERT INTO MPI_RANKS VALUES (?, 3)", (THREAD,))
db.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, "
           "correlationId INTEGER, nameId INTEGER, callchainId INTEGER)")
db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0, 1, ?, 7, 1, 5)", (THREAD,))
db.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0, 1, ?, 8, 5, NULL)", (THREAD,))
db.execute("CREATE TABLE CUDA_CALLCHAINS (id INTEGER, symbol INTEGER, module INTEGER, originalIP INTEGER, "
           "stackDepth INTEGER)")
db.execute("INSERT INTO CUDA_CALLCHAINS VALUES (5, 2, 3, 4096, 0)")
db.execute("CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, textId INTEGER, "
           "globalTid INTEGER)")
db.execute("INSERT INTO NVTX_EVENTS VALUES (50000000, 150000000, 59, NULL, 4, ?)", (THREAD,))

TABLE = "CUDA_GPU_MEMORY_USAGE_EVENTS"
if kind == "view":
    db.execute("CREATE TABLE hidden (start INTEGER)")
    db.execute(f"CREATE VIEW {TABLE} AS SELECT start FROM hidden")
elif kind == "old":
    db.execute(f"CREATE TABLE {TABLE} (start INTEGER, globalPid INTEGER, deviceId INTEGER, address INTEGER, "
               "bytes INTEGER, memoryOperationType INTEGER)")
    db.execute(f"INSERT INTO {TABLE} VALUES (1000, ?, 0, 4096, 1048576, 0)", (GLOBAL,))
elif kind != "none":
    db.execute(f"CREATE TABLE {TABLE} (start INTEGER, globalPid INTEGER, deviceId INTEGER, address INTEGER, "
               "bytes INTEGER, memKind INTEGER, memoryOperationType INTEGER, correlationId INTEGER, "
               "streamId INTEGER, localMemoryPoolAddress INTEGER, localMemoryPoolSize INTEGER, "
               "localMemoryPoolUtilizedSize INTEGER)")
    rows = [
        # ms, device, address, bytes, kind, operation, correlation, stream, pool
        (100, 0, 0x10000, 1 << 20, 2, 0, 7, 0, None),
        (200, 0, 0x20000, 2 << 20, 2, 0, 8, 9, 0x777),
        (300, 1, 0x30000, 4096, 1, 0, None, 0, None),
        (400, 1, 0x40000, 8192, 4, 0, None, 0, None),
        (500, 0, 0x10000, 1 << 20, 2, 1, None, 0, None),
        (600, 0, 0x50000, 100, 2, 1, None, 0, None),
        (700, 0, 0x10000, 512, 2, 0, None, 0, None),
        (800, 0, 0x10000, 512, 2, 1, None, 0, None),
    ]
    if kind == "huge":
        rows = [(100, 0, 0x10000, -1, 2, 0, 7, 0, None)]
    for ms, device, address, size, memory, operation, correlation, stream, pool in rows:
        db.execute(f"INSERT INTO {TABLE} VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                   (ms * 1000000, GLOBAL, device, address, size, memory, operation, correlation, stream, pool,
                    pool and 32 << 20, pool and 2 << 20))
db.commit()
