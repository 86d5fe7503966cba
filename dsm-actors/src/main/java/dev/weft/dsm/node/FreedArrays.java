package dev.weft.dsm.node;

import dev.weft.dsm.home.Outbox;
import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.ObjectSpec;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Arrays that this node has forgotten and whose place is in use still: a thread is in the midst of a store, this node reads a minipage by RDMA, or
 * another node has sent one, which is on its way. When none of that can be any more, the first node is told, which gives the place to another array.
 * Each node says {@link DsmMessage.NothingMore} to each behind all that it has sent. Used in the receive context.
 *
 * <p>Bound: as many as the first node has objects, {@value Definitions#OBJECTS_MAX}.
 */
final class FreedArrays {
  private static final long FIRST_RETRY_NS = 10_000;
  private static final int RETRY_DOUBLINGS = 7;

  private static final class Freed {
    final ObjectSpec spec;
    /** Bits of the nodes that may have sent something for it. */
    long awaited;
    int tries;

    Freed(ObjectSpec spec, long awaited) {
      this.spec = spec;
      this.awaited = awaited;
    }
  }

  private final Outbox outbox;
  private final Predicate<ObjectSpec> isInUse;
  private final Consumer<ObjectSpec> done;
  private final Map<Integer, Freed> waiting = new HashMap<>();
  /** Bits of the nodes that have said that there is nothing more before the first node has said that the array was freed. */
  private final Map<Integer, Long> early = new HashMap<>();
  private long retryAtNs = NodeCore.NEVER;

  /**
   * @param isInUse whether a thread of this node or a read by RDMA is in the midst of an access to it
   * @param done is told what nobody uses any more
   */
  FreedArrays(Outbox outbox, Predicate<ObjectSpec> isInUse, Consumer<ObjectSpec> done) {
    this.outbox = outbox;
    this.isInUse = isInUse;
    this.done = done;
  }

  /** An array is forgotten here; those of {@code others} may know it still, and have sent something for it. */
  void add(ObjectSpec spec, long others, long nowNs) {
    Long said = early.remove(spec.id());
    waiting.put(spec.id(), new Freed(spec, said == null ? others : others & ~said));
    for (long left = others; left != 0; left &= left - 1) {
      outbox.send(Long.numberOfTrailingZeros(left), new DsmMessage.NothingMore(spec.id()));
    }
    retry(nowNs);
  }

  /** Whether an array is here; {@code others} are those of its nodes that are left. */
  boolean keepOnly(int object, long others, long nowNs) {
    Freed freed = waiting.get(object);
    if (freed != null) {
      freed.awaited &= others;
      retry(nowNs);
    }
    return freed != null;
  }

  /**
   * What a node has sent for an array has come.
   *
   * @param isKnown whether there is such an array, or may be
   */
  void onNothingMore(int object, int from, boolean isKnown, long nowNs) {
    Freed freed = waiting.get(object);
    if (freed != null) {
      freed.awaited &= ~(1L << from);
      retry(nowNs);
    } else if (isKnown && early.size() < Definitions.OBJECTS_MAX) {
      early.merge(object, 1L << from, (one, other) -> one | other);
    }
  }

  /** Arrays whose place is in use still. */
  List<ObjectSpec> inUse() {
    return waiting.values().stream().map(freed -> freed.spec).toList();
  }

  /** A node has been connected; what was said to it before was said to nobody. */
  void onConnected(int node) {
    waiting.values().stream().filter(freed -> (freed.awaited & 1L << node) != 0)
        .forEach(freed -> outbox.send(node, new DsmMessage.NothingMore(freed.spec.id())));
  }

  /** Nothing comes from a node any more. */
  void onNodeLost(int node, long nowNs) {
    waiting.values().forEach(freed -> freed.awaited &= ~(1L << node));
    retry(nowNs);
  }

  /** Looks again whether somebody is in the midst of something. */
  void retry(long nowNs) {
    retryAtNs = NodeCore.NEVER;
    for (Iterator<Freed> each = waiting.values().iterator(); each.hasNext();) {
      Freed freed = each.next();
      if (freed.awaited == 0) {
        if (isInUse.test(freed.spec)) {
          retryAtNs = Math.min(retryAtNs, nowNs + (FIRST_RETRY_NS << Math.min(freed.tries++, RETRY_DOUBLINGS)));
        } else {
          each.remove();
          done.accept(freed.spec);
        }
      }
    }
  }

  /** When {@link #retry} should be called again; {@link NodeCore#NEVER} if there is no need. */
  long retryAtNs() {
    return retryAtNs;
  }
}
