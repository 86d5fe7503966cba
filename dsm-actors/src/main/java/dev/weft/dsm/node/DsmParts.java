package dev.weft.dsm.node;

import dev.weft.dsm.access.Announcements;
import dev.weft.dsm.access.CheckedAccess;
import dev.weft.dsm.sync.LockWord;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What a node's actor and its threads share; nothing else is.
 *
 * @param founder name of the first node of the space, which starts it
 * @param frames memory for all of the shared memory, which {@code region} registers
 * @param tables of the synchronous engine; null with the other one
 * @param announcements written by threads
 * @param access rights; written in the receive context
 * @param words of locks, by object
 * @param ended set when the actor takes no messages any more
 * @param waitedFor whether a thread that leaves a minipage should say so
 */
record DsmParts(Node node, String space, String founder, DsmSettings settings, ProtectionDomain pd, MemorySegment frames, MemoryRegion region,
    DirectTables tables, Announcements announcements, CheckedAccess access,
    ConcurrentHashMap<Integer, LockWord> words, Ended ended, AtomicBoolean waitedFor,
    ThreadWaits waits) {
  /** Of the request engine. */
  DsmParts(Node node, String space, String founder, DsmSettings settings, ProtectionDomain pd, MemorySegment frames, MemoryRegion region,
      Announcements announcements, CheckedAccess access, ConcurrentHashMap<Integer, LockWord> words, Ended ended, AtomicBoolean waitedFor,
      ThreadWaits waits) {
    this(node, space, founder, settings, pd, frames, region, null, announcements, access, words, ended, waitedFor, waits);
  }

  /** What others connect to. */
  String service() {
    return "dsm/" + space;
  }

  /** Gives the frames back. */
  void close() {
    node.hca().deregMr(region);
    if (tables != null) {
      node.hca().deregMr(tables.region());
    }
    node.hca().deallocPd(pd);
  }
}
