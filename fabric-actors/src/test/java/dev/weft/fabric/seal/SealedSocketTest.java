package dev.weft.fabric.seal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The protocol over a network of queues, whose datagrams an attacker can read, keep, change and send again. */
class SealedSocketTest {
  private static final long SECOND_NS = 1_000_000_000L;

  /** One datagram on the way. */
  private record Packet(InetSocketAddress from, InetSocketAddress to, byte[] bytes) {}

  private final SealKey key = new SealKey("k".repeat(SealKey.LENGTH).getBytes(StandardCharsets.US_ASCII));
  private final Map<InetSocketAddress, Host> hosts = new HashMap<>();
  private final Deque<Packet> network = new ArrayDeque<>();
  private final List<Packet> captured = new ArrayList<>();
  private long nowNs = 17;

  /** A process with one socket. */
  private final class Host {
    final InetSocketAddress address;
    final Map<SealCounter, Integer> counts = new EnumMap<>(SealCounter.class);
    final List<String> got = new ArrayList<>();
    final SealedSocket.Process process;
    SealedSocket socket;

    Host(String address, SealKey key) {
      this.address = new InetSocketAddress(address, 4000);
      process = new SealedSocket.Process(key, counter -> counts.merge(counter, 1, Integer::sum), () -> nowNs);
      socket = new SealedSocket(process);
      hosts.put(this.address, this);
    }

    void wire(ByteBuffer datagram, InetSocketAddress to) {
      byte[] bytes = new byte[datagram.remaining()];
      datagram.get(bytes);
      Packet packet = new Packet(address, to, bytes);
      network.add(packet);
      captured.add(packet);
    }

    void send(String text, Host to) throws IOException {
      socket.send(ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII)), to.address, this::wire);
    }

    void receive(Packet packet) throws IOException {
      ByteBuffer plain = ByteBuffer.allocate(70_000);
      if (socket.open(ByteBuffer.wrap(packet.bytes()).position(packet.bytes().length), packet.from(), address, plain, this::wire)) {
        got.add(new String(plain.array(), 0, plain.position(), StandardCharsets.US_ASCII));
      }
    }

    int count(SealCounter counter) {
      return counts.getOrDefault(counter, 0);
    }
  }

  private void deliver() throws IOException {
    while (!network.isEmpty()) {
      Packet packet = network.remove();
      Host to = hosts.get(packet.to());
      if (to != null) {
        to.receive(packet);
      }
    }
  }

  private Packet lastOf(Host from) {
    return captured.reversed().stream().filter(packet -> packet.from().equals(from.address)).findFirst().orElseThrow();
  }

  @Test
  void shouldGreetAndThenCarryDataBothWays() throws Exception {
    Host a = new Host("10.0.0.1", key);
    Host b = new Host("10.0.0.2", key);
    a.send("dropped", b);
    a.send("first", b);
    deliver();
    assertEquals(List.of("first"), b.got, "the last one waits for the welcome");
    a.send("second", b);
    assertEquals("second".length() + SealedSocket.OVERHEAD, lastOf(a).bytes().length, "the overhead is as declared");
    b.send("back", a);
    deliver();
    assertEquals(List.of("first", "second"), b.got);
    assertEquals(List.of("back"), a.got);
    assertEquals(2, a.count(SealCounter.EARLY));
    for (Packet packet : captured) {
      assertFalse(new String(packet.bytes(), StandardCharsets.ISO_8859_1).contains("second"), "in the clear");
    }
  }

  @Test
  void shouldOpenNothingWithoutTheKey() throws Exception {
    Host a = new Host("10.0.0.1", key);
    Host stranger = new Host("10.0.0.2", new SealKey("x".repeat(SealKey.LENGTH).getBytes(StandardCharsets.US_ASCII)));
    a.send("hidden", stranger);
    deliver();
    assertEquals(List.of(), stranger.got);
    assertEquals(1, stranger.count(SealCounter.FORGED));
    assertEquals(1, captured.size(), "a stranger gets no answer, and so no second datagram");
    assertNotEquals(key.id(), new SealKey(new byte[SealKey.LENGTH]).id());
  }

  @Test
  void shouldRejectWhatIsReplayedCutChangedOrSentElsewhere() throws Exception {
    Host a = new Host("10.0.0.1", key);
    Host b = new Host("10.0.0.2", key);
    Host c = new Host("10.0.0.3", key);
    a.send("to b", b);
    c.send("to b, too", b);
    deliver();
    a.send("once", b);
    Packet data = lastOf(a);
    deliver();
    a.send("to c", c); // c knows a, too.
    deliver();
    List<String> before = List.copyOf(b.got);
    b.receive(data);
    assertEquals(1, b.count(SealCounter.REPLAYED));
    c.receive(data);
    assertTrue(c.count(SealCounter.FORGED) + c.count(SealCounter.REPLAYED) == 1, c.counts::toString);
    for (int length = 0; length < data.bytes().length; length++) {
      b.receive(new Packet(data.from(), data.to(), Arrays.copyOf(data.bytes(), length)));
    }
    for (int bit = 0; bit < 8 * data.bytes().length; bit++) {
      byte[] changed = data.bytes().clone();
      changed[bit / 8] ^= (byte) (1 << bit % 8);
      b.receive(new Packet(data.from(), data.to(), changed));
    }
    assertEquals(before, b.got);
    a.send("still", b);
    deliver();
    assertEquals("still", b.got.getLast(), "and the good ones pass");
  }

  /** A process at the same address has another epoch; what was captured for the old one is useless for the new one. */
  @Test
  void shouldGreetAProcessThatHasRestarted() throws Exception {
    Host a = new Host("10.0.0.1", key);
    Host old = new Host("10.0.0.2", key);
    a.send("old", old);
    deliver();
    List<Packet> replay = captured.stream().filter(packet -> packet.to().equals(old.address)).toList();
    Host b = new Host("10.0.0.2", key);
    for (Packet packet : replay) {
      b.receive(packet);
    }
    assertEquals(List.of(), b.got);
    network.clear(); // The attacker swallows the answers to the replayed greeting.
    nowNs += 2 * SECOND_NS;
    a.send("lost", b);
    deliver();
    a.send("new", b);
    deliver();
    assertEquals(List.of("new"), b.got);
    for (Packet packet : replay) {
      b.receive(packet);
    }
    network.clear();
    assertEquals(List.of("new"), b.got);
  }

  /** No time passes: the receiver itself asks for the greeting. */
  @Test
  void shouldAskASenderThatItDoesNotKnowToGreet() throws Exception {
    Host a = new Host("10.0.0.1", key);
    Host old = new Host("10.0.0.2", key);
    a.send("old", old);
    deliver();
    Host b = new Host("10.0.0.2", key);
    nowNs += SECOND_NS / 10;
    a.send("lost", b);
    deliver();
    assertEquals(1, b.count(SealCounter.UNKNOWN));
    a.send("new", b);
    deliver();
    assertEquals(List.of("new"), b.got);
  }

  /** More sockets than it remembers have greeted it; those that still send go on, and what they had sent before stays useless. */
  @Test
  void shouldForgetManySendersWithoutLosingOne() throws Exception {
    Host a = new Host("10.0.0.1", key);
    Host b = new Host("10.0.0.2", key);
    a.send("before", b);
    deliver();
    Packet old = lastOf(a);
    for (int i = 0; i < 5000; i++) {
      Host other = new Host("10.1." + i / 250 + "." + i % 250, key);
      other.send("x", b);
      deliver();
      hosts.remove(other.address);
    }
    nowNs += SECOND_NS / 10;
    a.send("lost", b);
    deliver();
    a.send("after", b);
    deliver();
    assertEquals("after", b.got.getLast());
    int got = b.got.size();
    b.receive(old);
    assertEquals(got, b.got.size(), "replayed");
  }

  @Test
  void shouldNotBelieveAnOldWelcome() throws Exception {
    Host a = new Host("10.0.0.1", key);
    Host old = new Host("10.0.0.2", key);
    a.send("old", old);
    deliver();
    Packet welcome = captured.stream().filter(packet -> packet.from().equals(old.address)).findFirst().orElseThrow();
    a.receive(welcome);
    assertEquals(1, a.count(SealCounter.REPLAYED));
    a.send("goes on", old);
    deliver();
    assertEquals("goes on", old.got.getLast());
  }

  @Test
  void shouldChangeItsKeyAndTakeLateDatagramsOfTheLastOne() throws Exception {
    Host a = new Host("10.0.0.1", key);
    Host b = new Host("10.0.0.2", key);
    a.send("0", b);
    deliver();
    a.send("late", b);
    Packet late = network.remove();
    for (int generation = 1; generation <= 40; generation++) {
      a.socket.expireKey();
      a.send("g" + generation, b);
      deliver();
      assertEquals("g" + generation, b.got.getLast());
      if (generation == 1) {
        b.receive(late);
        assertEquals("late", b.got.getLast());
      }
    }
    nowNs += 3601 * SECOND_NS;
    a.send("after an hour", b);
    deliver();
    assertEquals("after an hour", b.got.getLast());
  }

  @Test
  void shouldSurviveARandomNetworkWithAnAttacker() throws Exception {
    Random random = new Random(33);
    List<Host> all = List.of(new Host("10.0.0.1", key), new Host("10.0.0.2", key), new Host("10.0.0.3", key));
    Map<String, Integer> sent = new HashMap<>();
    int number = 0;
    for (int step = 0; step < 60_000; step++) {
      nowNs += random.nextInt(2_000_000);
      Host from = all.get(random.nextInt(3));
      Host to = all.get(random.nextInt(3));
      if (from != to && random.nextInt(3) == 0) {
        String text = "m" + number++;
        sent.put(text, all.indexOf(to));
        from.send(text, to);
      }
      if (!network.isEmpty() && random.nextInt(10) != 0) {
        Packet packet = network.remove();
        if (random.nextInt(20) != 0) { // Else it is lost.
          hosts.get(packet.to()).receive(packet);
        }
      }
      if (!captured.isEmpty()) {
        Packet old = captured.get(random.nextInt(captured.size()));
        byte[] bytes = old.bytes().clone();
        if (random.nextBoolean()) {
          bytes[random.nextInt(bytes.length)] ^= (byte) (1 + random.nextInt(255));
        }
        all.get(random.nextInt(3)).receive(new Packet(random.nextBoolean() ? old.from() : all.get(random.nextInt(3)).address, old.to(),
            random.nextInt(4) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes));
      }
      if (captured.size() > 5000) {
        captured.subList(0, 2500).clear();
      }
    }
    int got = 0;
    for (int host = 0; host < 3; host++) {
      List<String> texts = all.get(host).got;
      assertEquals(texts.size(), texts.stream().distinct().count(), "nothing arrives twice");
      for (String text : texts) {
        assertEquals(host, sent.get(text), text);
      }
      got += texts.size();
    }
    assertTrue(got > number / 2, got + " of " + number + " arrived");
  }

  @Test
  void shouldKeepTheKeyForItsOwnProcess() {
    assertArrayEquals(key.bytes(), new SealKey(key.bytes()).bytes());
    assertFalse(key.id().contains("6b6b"), "no part of the key");
  }
}
