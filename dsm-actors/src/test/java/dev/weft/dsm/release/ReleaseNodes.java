package dev.weft.dsm.release;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.dsm.Consistency;
import dev.weft.dsm.access.AccessControl;
import dev.weft.dsm.access.Rights;
import dev.weft.dsm.access.RightsWaiter;
import dev.weft.dsm.wire.DsmMessage;
import dev.weft.dsm.wire.HomePlacement;
import dev.weft.dsm.wire.ObjectSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** The protocol of some nodes, whose messages and datagrams come when the test says so. */
class ReleaseNodes {
  static final long MEMORY = 1 << 16;
  static final int MINIPAGE = 1024;
  static final int WORDS = MINIPAGE / 8;
  static final int MINIPAGES = 4;

  /** A copy of a datagram, as the switch has made it. */
  record Gram(Part part, int to, byte[] data) {}

  /** What one node has sent another one: a piece of its frames, or a message. */
  record Sent(int from, int to, DsmMessage message, long offset, byte[] data) {}

  final List<Node> nodes = new ArrayList<>();
  final ArrayDeque<Sent> sent = new ArrayDeque<>();
  final List<Gram> grams = new ArrayList<>();
  MulticastSettings multicast = MulticastSettings.OFF;
  /** Bytes of data of a datagram; 0 where there is no group. */
  int cut;
  long lost;

  final class Node implements ReleasePort, GroupPort, AccessControl {
    final int self;
    final MemorySegment frames = Arena.ofAuto().allocate(MEMORY + ReleaseCore.stagingBytes(MEMORY), 4096);
    final byte[] rights = new byte[MINIPAGES];
    final List<String> told = new ArrayList<>();
    final ReleaseCore core;
    boolean isInside;

    Node(int self, int count, long twins) {
      this.self = self;
      core = new ReleaseCore(self, frames, MEMORY, twins, this, this, () -> (1L << count) - 1 & ~(1L << self | lost), this,
          multicast);
      core.add(new ObjectSpec(1, ObjectSpec.Kind.LONGS, "words", (long) MINIPAGES * WORDS, MINIPAGE, 0, 0, 1, HomePlacement.CENTRALIZED, Consistency.RELEASE));
    }

    @Override
    public void send(int node, DsmMessage message) {
      sent.add(new Sent(self, node, message, 0, null));
    }

    @Override
    public void write(long offset, int bytes, int node) {
      sent.add(new Sent(self, node, null, offset, frames.asSlice(offset, bytes).toArray(ValueLayout.JAVA_BYTE)));
    }

    @Override
    public void start() {
      // It is in the group.
    }

    @Override
    public int datagramBytes() {
      return cut == 0 ? 0 : Part.HEADER_BYTES + cut;
    }

    @Override
    public void send(Part part, long offset) {
      byte[] data = frames.asSlice(offset, part.length()).toArray(ValueLayout.JAVA_BYTE);
      nodes.stream().filter(each -> each != this).forEach(each -> grams.add(new Gram(part, each.self, data)));
    }

    @Override
    public void drain() {
      // All that has come was handed over.
    }

    @Override
    public byte rights(int minipage) {
      return rights[minipage];
    }

    @Override
    public void grant(int minipage, byte right) {
      rights[minipage] = right;
    }

    @Override
    public boolean tryRevoke(int minipage, byte right) {
      rights[minipage] = (byte) Math.min(rights[minipage], right);
      return !isInside;
    }

    @Override
    public int tryProtect(int[] minipages, byte[] wanted) {
      throw new UnsupportedOperationException("not used here");
    }

    @Override
    public boolean hasServed(int minipage) {
      return false;
    }

    void want(int minipage, byte right) {
      core.onFault(minipage, new RightsWaiter() {
        @Override
        public byte rights() {
          return right;
        }

        @Override
        public void served() {
          told.add("served " + minipage);
        }

        @Override
        public void lost(String why) {
          told.add(why);
        }
      });
    }

    long get(int word) {
      if (rights[word / WORDS] == Rights.NONE) {
        want(word / WORDS, Rights.READ);
        deliver();
      }
      assertTrue(rights[word / WORDS] >= Rights.READ);
      return frames.get(ValueLayout.JAVA_LONG, word * 8L);
    }

    void set(int word, long value) {
      if (rights[word / WORDS] < Rights.WRITE) {
        want(word / WORDS, Rights.WRITE);
        deliver();
      }
      assertEquals(Rights.WRITE, rights[word / WORDS]);
      frames.set(ValueLayout.JAVA_LONG, word * 8L, value);
    }

    void release() {
      core.release(() -> told.add("released"));
    }
  }

  final void start(int count, long twins) {
    for (int i = 0; i < count; i++) {
      nodes.add(new Node(i, count, twins));
    }
  }

  /** Delivers what is for these, in order; the rest stays. */
  final void deliver(Predicate<Sent> which) {
    boolean any = true;
    while (any) {
      any = false;
      for (int i = sent.size(); i > 0; i--) {
        Sent next = sent.poll();
        if ((lost & (1L << next.to | 1L << next.from)) != 0) {
          continue;
        }
        if (!which.test(next)) {
          sent.add(next);
          continue;
        }
        any = true;
        Node to = nodes.get(next.to);
        if (next.message == null) {
          MemorySegment.copy(next.data, 0, to.frames, ValueLayout.JAVA_BYTE, next.offset, next.data.length);
        } else {
          to.core.onMessage(next.from, assertInstanceOf(DsmMessage.OfRelease.class, next.message));
        }
      }
    }
  }

  final void deliver() {
    deliver(any -> true);
  }

  final void lose(int node) {
    lost |= 1L << node;
    nodes.stream().filter(each -> (lost & 1L << each.self) == 0).forEach(each -> each.core.onNodeLost(node));
  }

  /** Hands copies of datagrams over and keeps the others, which may come later. */
  final void deliverGrams(Predicate<Gram> which) {
    List<Gram> now = grams.stream().filter(which).toList();
    grams.removeAll(now);
    now.forEach(this::hand);
  }

  final void hand(Gram gram) {
    if ((lost & (1L << gram.to | 1L << gram.part.sender())) == 0) {
      nodes.get(gram.to).core.multicast().onPart(gram.part, MemorySegment.ofArray(gram.data), 0);
    }
  }
}
