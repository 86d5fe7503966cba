package dev.weft.dsm.member;

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
 * Arrays that this node has forgotten but whose place is still in use: a thread is in the midst of a store, this node reads a minipage by RDMA, or
 * data of another node is on its way. When none of these is possible any more, this node notifies the first node, which may give the place to another
 * array. Each node sends {@link DsmMessage.NothingMore} to each other node, after all its messages about the array. Used in the receive context.
 *
 * <p>Bound: the number of objects of the first node, {@value Definitions#OBJECTS_MAX}.
 */
final class FreedArrays {
  private static final long FIRST_RETRY_NS = 10_000;
  private static final int RETRY_DOUBLINGS = 7;

  private static final class Freed {
    final ObjectSpec spec;
    /** Bits of the nodes that may have sent data for it. */
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
  /** Bits of the nodes whose {@code NothingMore} arrived before the news of the first node that the array was freed. */
  private final Map<Integer, Long> early = new HashMap<>();
  private long retryAtNs = NodeCore.NEVER;

  /**
   * @param isInUse whether a thread of this node or a read by RDMA is in the midst of an access to the array
   * @param done called with an array that no node uses any more
   */
  FreedArrays(Outbox outbox, Predicate<ObjectSpec> isInUse, Consumer<ObjectSpec> done) {
    this.outbox = outbox;
    this.isInUse = isInUse;
    this.done = done;
  }

  /** This node has forgotten an array; the nodes of {@code others} may still know it and have sent data for it. */
  void add(ObjectSpec spec, long others, long nowNs) {
    Long said = early.remove(spec.id());
    waiting.put(spec.id(), new Freed(spec, said == null ? others : others & ~said));
    for (long left = others; left != 0; left &= left - 1) {
      outbox.send(Long.numberOfTrailingZeros(left), new DsmMessage.NothingMore(spec.id()));
    }
    retry(nowNs);
  }

  /** Limits the nodes that are waited for to {@code others}; returns whether the array is here. */
  boolean keepOnly(int object, long others, long nowNs) {
    Freed freed = waiting.get(object);
    if (freed != null) {
      freed.awaited &= others;
      retry(nowNs);
    }
    return freed != null;
  }

  /**
   * All data of a node for an array has arrived.
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

  /** Arrays whose place is still in use. */
  List<ObjectSpec> inUse() {
    return waiting.values().stream().map(freed -> freed.spec).toList();
  }

  /** A node has been connected; it did not get earlier messages. */
  void onConnected(int node) {
    waiting.values().stream().filter(freed -> (freed.awaited & 1L << node) != 0)
        .forEach(freed -> outbox.send(node, new DsmMessage.NothingMore(freed.spec.id())));
  }

  /** A node is lost: no message of it arrives any more. */
  void onNodeLost(int node, long nowNs) {
    waiting.values().forEach(freed -> freed.awaited &= ~(1L << node));
    retry(nowNs);
  }

  /** Checks again whether the arrays are still in use. */
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
