package dev.weft.pager.client;

import dev.weft.hca.cm.Connection;
import dev.weft.hca.messaging.MessageChannel;
import dev.weft.pager.client.DeviceRequest.Part;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * What a client knows of one server: credits, requests that wait for one, requests outstanding. Decision logic; parts go
 * out in the order they came. An answer names its request by slot and generation, so that a wrong one is noticed.
 */
final class ServerLink {
  private static final int GENERATION_SHIFT = 16;

  final int index;
  final ServerSpec spec;
  final ArrayDeque<Part> waiting = new ArrayDeque<>();
  MessageChannel channel;
  Connection connection;
  boolean isUp;
  boolean isDead;
  /** Longest write whose data goes with the request; 0 for none. */
  int inlineBytes;
  /** Something that the area was asked to keep has been acknowledged. */
  boolean holdsData;
  String why = "";
  private Part[] outstanding = new Part[0];
  private long[] sentNs = new long[0];
  private long[] generations = new long[0];
  private int[] freeSlots = new int[0];
  private int freeCount;

  ServerLink(int index, ServerSpec spec) {
    this.index = index;
    this.spec = spec;
  }

  /** The connection is made and the server allows {@code credits} requests, 1 to 65,536. */
  void granted(int credits) {
    outstanding = new Part[credits];
    sentNs = new long[credits];
    generations = new long[credits];
    freeSlots = new int[credits];
    for (int i = 0; i < credits; i++) {
      freeSlots[i] = credits - 1 - i;
    }
    freeCount = credits;
    isUp = true;
  }

  int creditsMax() {
    return outstanding.length;
  }

  int creditsFree() {
    return freeCount;
  }

  int outstandingCount() {
    return outstanding.length - freeCount;
  }

  /** Takes the first waiting part and a credit for it; returns the id to send. There must be one of each. */
  long dispatch(long nowNs) {
    int slot = freeSlots[--freeCount];
    outstanding[slot] = waiting.remove();
    sentNs[slot] = nowNs;
    return ++generations[slot] << GENERATION_SHIFT | slot;
  }

  /** The part that was sent with this id, whose credit comes back; null if none is outstanding. */
  Part take(long id) {
    int slot = (int) (id & (1 << GENERATION_SHIFT) - 1);
    if (slot >= outstanding.length || outstanding[slot] == null || generations[slot] != id >>> GENERATION_SHIFT) {
      return null;
    }
    Part part = outstanding[slot];
    outstanding[slot] = null;
    freeSlots[freeCount++] = slot;
    return part;
  }

  /** Whether a part was sent at or before {@code limitNs}. */
  boolean hasOlderThan(long limitNs) {
    for (int slot = 0; slot < outstanding.length; slot++) {
      if (outstanding[slot] != null && sentNs[slot] - limitNs <= 0) {
        return true;
      }
    }
    return false;
  }

  /** Takes everything that is outstanding or waiting, oldest kind first, for the link is dead. */
  List<Part> takeAll() {
    List<Part> parts = new ArrayList<>();
    for (int slot = 0; slot < outstanding.length; slot++) {
      if (outstanding[slot] != null) {
        parts.add(outstanding[slot]);
        outstanding[slot] = null;
        freeSlots[freeCount++] = slot;
      }
    }
    parts.addAll(waiting);
    waiting.clear();
    return parts;
  }
}
