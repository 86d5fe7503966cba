package dev.weft.fabric.subnet;

import akka.actor.typed.ActorRef;
import akka.actor.typed.Behavior;
import akka.actor.typed.javadsl.Behaviors;
import dev.weft.fabric.HardwareMessage;
import dev.weft.fabric.link.VirtualLane;
import dev.weft.fabric.packet.CableMessage.Credits;
import dev.weft.fabric.packet.CableMessage.LinkState;
import dev.weft.fabric.packet.CopyCounter;
import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.Payload;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;
import java.util.function.Consumer;

/** An end port for tests: sends a seeded stream of packets, checks the one it gets, echoes, and measures round trips. */
final class TestHca {
  record Plug(ActorRef<HardwareMessage> port) implements HardwareMessage {}

  /** Sends {@code count} packets of {@code length} bytes, or of random lengths and contents if it is negative. */
  record Stream(int lid, int count, int seed, int length) implements HardwareMessage {}

  /** Sends packets of {@code length} bytes, one after the other's echo. */
  record Ping(int lid, int count, int length) implements HardwareMessage {}

  private static final int LANES = 4;
  private static final int GRANT = 64;
  private static final int QP_STREAM = 1;
  private static final int QP_PING = 2;
  private static final int QP_ECHO = 3;

  private final Consumer<String> out;
  private final MemorySegment memory = Arena.ofAuto().allocate(1 << 17);
  private final int[] credits = new int[LANES];
  private final int[] owed = new int[LANES];
  private ActorRef<HardwareMessage> port;
  private int lid;
  private Stream stream;
  private Random sendRandom;
  private int sent;
  private Random receiveRandom;
  private int received;
  private int bad;
  private long streamStartNs;
  private long[] roundTripNs = {};
  private int pings;
  private int pingLid;
  private int pingLength;
  private long pingStartNs;

  private TestHca(Consumer<String> out) {
    this.out = out;
  }

  static Behavior<HardwareMessage> create(Consumer<String> out) {
    return Behaviors.setup(actor -> Behaviors.receiveMessage(new TestHca(out)::onMessage));
  }

  private Behavior<HardwareMessage> onMessage(HardwareMessage message) {
    switch (message) {
      case Plug plug -> {
        port = plug.port();
        grantAll();
      }
      case LinkState state -> lid = state.lid();
      case Credits granted -> {
        credits[granted.virtualLane()] += granted.count();
        pump();
      }
      case Packet packet -> onPacket(packet);
      case Stream asked -> {
        stream = asked;
        sendRandom = new Random(asked.seed());
        sent = 0;
        pump();
      }
      case Ping asked -> {
        roundTripNs = new long[asked.count()];
        pings = 0;
        pingLid = asked.lid();
        pingLength = asked.length();
        ping();
      }
      default -> throw new IllegalArgumentException(message.toString());
    }
    return Behaviors.same();
  }

  private void grantAll() {
    for (int lane = 0; lane < LANES; lane++) {
      port.tell(new Credits(lane, GRANT));
    }
  }

  private void pump() {
    while (stream != null && credits[0] > 0 && sent < stream.count()) {
      credits[0]--;
      boolean fixed = stream.length() >= 0;
      Payload payload = fixed ? Payload.of(memory, 0, stream.length()) : randomPayload();
      port.tell(packet(stream.lid(), QP_STREAM, sent++, stream.seed(), fixed ? stream.count() : -stream.count(), payload));
    }
  }

  private Payload randomPayload() {
    byte[] data = new byte[sendRandom.nextInt(FabricJvm.LENGTH_MAX + 1)];
    sendRandom.nextBytes(data);
    return Payload.of(MemorySegment.ofArray(data), 0, data.length);
  }

  private Packet packet(int dstLid, int qp, int psn, int immediate, int rkey, Payload payload) {
    return new Packet(Opcode.RC_RDMA_WRITE_ONLY_WITH_IMM, lid, dstLid, 0, false, false, Packet.DEFAULT_PKEY, qp, psn,
        77, rkey, payload.length(), 0, 0, immediate, 0, 0, payload);
  }

  private void ping() {
    pingStartNs = System.nanoTime();
    credits[0]--;
    port.tell(packet(pingLid, QP_PING, pings, 0, 0, Payload.of(memory, 0, pingLength)));
  }

  private void onPacket(Packet packet) {
    switch (packet.destQp()) {
      case QP_STREAM -> onStream(packet);
      case QP_PING -> {
        packet.payload().copyTo(memory, 0, new CopyCounter());
        credits[0]--;
        port.tell(packet(packet.srcLid(), QP_ECHO, packet.psn(), 0, 0,
            Payload.of(memory, 0, packet.payload().length())));
      }
      case QP_ECHO -> onEcho();
      default -> bad++;
    }
    packet.release();
    int lane = VirtualLane.of(packet.serviceLevel(), LANES);
    if (++owed[lane] == GRANT / 2) {
      owed[lane] = 0;
      port.tell(new Credits(lane, GRANT / 2));
    }
  }

  private void onStream(Packet packet) {
    boolean fixed = packet.rkey() > 0;
    if (packet.psn() == 0) {
      receiveRandom = new Random(packet.immediate());
      received = 0;
      bad = 0;
      streamStartNs = System.nanoTime();
    }
    if (fixed) {
      packet.payload().copyTo(memory, 0, new CopyCounter());
    } else {
      byte[] data = new byte[packet.payload().length()];
      packet.payload().copyTo(MemorySegment.ofArray(data), 0, new CopyCounter());
      byte[] expected = new byte[receiveRandom.nextInt(FabricJvm.LENGTH_MAX + 1)];
      receiveRandom.nextBytes(expected);
      if (!Arrays.equals(data, expected)) {
        bad++;
      }
    }
    if (packet.psn() != received) {
      bad++;
    }
    if (++received == Math.abs(packet.rkey())) {
      long ns = System.nanoTime() - streamStartNs;
      out.accept("received " + received + " bad " + bad + " ns " + ns);
    }
  }

  private void onEcho() {
    roundTripNs[pings++] = System.nanoTime() - pingStartNs;
    if (pings < roundTripNs.length) {
      ping();
      return;
    }
    Arrays.sort(roundTripNs);
    out.accept("ping p50 " + roundTripNs[pings / 2] + " p99 " + roundTripNs[pings * 99 / 100] + " min " + roundTripNs[0]);
  }
}
