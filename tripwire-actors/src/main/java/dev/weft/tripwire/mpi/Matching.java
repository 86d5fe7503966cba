package dev.weft.tripwire.mpi;

import java.util.ArrayDeque;
import java.util.Iterator;

/**
 * Matches messages and receives by communicator, source and tag, each in order of arrival. So messages do not overtake each other, and the first
 * receive gets the first message that fits. Bounds: the requests of this rank, and the messages that its peers may send.
 */
final class Matching {
  private final ArrayDeque<Request> posted = new ArrayDeque<>();
  private final ArrayDeque<Arrival> unexpected = new ArrayDeque<>();

  private static boolean fits(int wantedSource, int wantedTag, int wantedContext, int source, int tag, int context) {
    return wantedContext == context && (wantedSource == Communicator.ANY_SOURCE || wantedSource == source)
        && (wantedTag == Communicator.ANY_TAG || wantedTag == tag);
  }

  /** Adds a receive for which there is no message yet. */
  void post(Request receive) {
    posted.add(receive);
  }

  /** Takes the first posted receive that fits such a message; null if there is none. */
  Request takePosted(int source, int tag, int context) {
    for (Iterator<Request> each = posted.iterator(); each.hasNext(); ) {
      Request receive = each.next();
      if (fits(receive.peer, receive.tag, receive.context, source, tag, context)) {
        each.remove();
        return receive;
      }
    }
    return null;
  }

  /** Adds a message that fits no posted receive. */
  void add(Arrival arrival) {
    unexpected.add(arrival);
  }

  /** The oldest message that fits; null if there is none. */
  Arrival peek(int source, int tag, int context) {
    for (Arrival arrival : unexpected) {
      if (fits(source, tag, context, arrival.source(), arrival.tag(), arrival.context())) {
        return arrival;
      }
    }
    return null;
  }

  /** The same; takes the message. */
  Arrival take(int source, int tag, int context) {
    Arrival found = peek(source, tag, context);
    if (found != null) {
      for (Iterator<Arrival> each = unexpected.iterator(); each.hasNext(); ) {
        if (each.next() == found) {
          each.remove();
          break;
        }
      }
    }
    return found;
  }

  /** Removes a posted receive; returns false if it was not posted. */
  boolean cancel(Request receive) {
    return posted.remove(receive);
  }

  /** Fails all receives and local sends: nothing is matched any more. */
  void failAll(ErrorClass errorClass, String reason) {
    posted.forEach(receive -> receive.fail(errorClass, reason));
    posted.clear();
    for (Arrival arrival : unexpected) {
      if (arrival.local() != null) {
        arrival.local().fail(errorClass, reason);
      }
    }
  }

  int postedCount() {
    return posted.size();
  }

  int unexpectedCount() {
    return unexpected.size();
  }
}
