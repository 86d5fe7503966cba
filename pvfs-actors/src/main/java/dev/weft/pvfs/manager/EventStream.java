package dev.weft.pvfs.manager;

import dev.weft.pvfs.wire.MetaEvent;
import dev.weft.pvfs.wire.MetaReply;
import java.util.ArrayDeque;
import java.util.List;

/**
 * The events of a session, in order, until the client acknowledges them. The client has at most one request for events outstanding, which waits here.
 * Bound: {@link #CHANGES_MAX} changes, which then become one event; the locks of a session bound the other events. One thread.
 */
final class EventStream {
  static final int CHANGES_MAX = 16_384;

  /** Identifies this stream. A new stream of the same session knows no earlier events. */
  final long epoch;
  private final ArrayDeque<MetaEvent> events = new ArrayDeque<>();
  private long next = 1;
  private int changes;
  private long asking;
  private long askedNs;
  /** Until when the client may use its cache without hearing from the manager. */
  private long leaseEndNs;

  EventStream(long epoch, long leaseEndNs) {
    this.epoch = epoch;
    this.leaseEndNs = leaseEndNs;
  }

  /** Adds an event; returns its number, with which the client acknowledges it. */
  long add(MetaEvent.Kind kind, long subject) {
    if (kind == MetaEvent.Kind.CHANGED && ++changes > CHANGES_MAX) {
      events.removeIf(event -> event.kind() == MetaEvent.Kind.CHANGED);
      changes = 0;
      return add(MetaEvent.Kind.ALL_CHANGED, 0);
    }
    events.add(new MetaEvent(next, kind, subject));
    return next++;
  }

  /** The client acknowledges all events up to a number and waits for further ones. */
  void ask(long request, long doneTo, long nowNs) {
    while (!events.isEmpty() && events.peek().number() <= doneTo) {
      changes -= events.poll().kind() == MetaEvent.Kind.CHANGED ? 1 : 0;
    }
    changes = Math.max(changes, 0);
    asking = request;
    askedNs = nowNs;
  }

  /** Returns the answer that is due, since there are events or the client has waited for {@code waitNs}; otherwise null. */
  MetaReply answer(long nowNs, long waitNs, long leaseNs) {
    if (asking == 0 || events.isEmpty() && nowNs - askedNs < waitNs) {
      return null;
    }
    List<MetaEvent> page = events.stream().limit(MetaEvent.MAX).toList();
    MetaReply reply = MetaReply.of(asking, epoch, MetaEvent.encode(leaseNs, page));
    asking = 0;
    leaseEndNs = nowNs + leaseNs;
    return reply;
  }

  /** The connection is lost: the client will ask again. */
  void disconnected() {
    asking = 0;
  }

  boolean isLeaseOver(long nowNs) {
    return nowNs - leaseEndNs >= 0;
  }

  int size() {
    return events.size();
  }
}
