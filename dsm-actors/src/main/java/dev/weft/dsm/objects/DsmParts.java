package dev.weft.dsm.objects;

import dev.weft.dsm.access.Announcements;
import dev.weft.dsm.access.CheckedAccess;
import dev.weft.dsm.direct.DirectTables;
import dev.weft.dsm.settings.DsmSettings;
import dev.weft.dsm.sync.LockWord;
import dev.weft.hca.node.Node;
import dev.weft.hca.verbs.MemoryRegion;
import dev.weft.hca.verbs.ProtectionDomain;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The objects that a node's actor and its threads share; they share nothing else.
 *
 * @param founder name of the first node of the space, which starts it
 * @param frames memory for all of the shared memory, which {@code region} registers
 * @param tables tables of the synchronous engine; null with the request engine
 * @param announcements written by threads
 * @param access rights; written in the receive context
 * @param words states of locks, by object
 * @param ended set when the actor handles no messages any more
 * @param waitedFor whether a thread that leaves a minipage should notify the actor
 */
public record DsmParts(Node node, String space, String founder, DsmSettings settings, ProtectionDomain pd, MemorySegment frames, MemoryRegion region,
    DirectTables tables, Announcements announcements, CheckedAccess access,
    ConcurrentHashMap<Integer, LockWord> words, Ended ended, AtomicBoolean waitedFor,
    WaitStrategy waits) {
  /** Parts of a node with the request engine. */
  public DsmParts(Node node, String space, String founder, DsmSettings settings, ProtectionDomain pd, MemorySegment frames, MemoryRegion region,
      Announcements announcements, CheckedAccess access, ConcurrentHashMap<Integer, LockWord> words, Ended ended, AtomicBoolean waitedFor,
      WaitStrategy waits) {
    this(node, space, founder, settings, pd, frames, region, null, announcements, access, words, ended, waitedFor, waits);
  }

  /** The service that other nodes connect to. */
  public String service() {
    return "dsm/" + space;
  }

  /** Frees the registered memory. */
  public void close() {
    node.hca().deregMr(region);
    if (tables != null) {
      node.hca().deregMr(tables.region());
    }
    node.hca().deallocPd(pd);
  }
}
