package dev.weft.fabric.packet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** The hot path allocates nothing to encode, and the packet and its payload to decode. */
class PacketCodecAllocationTest {
  private static final int ROUNDS = 50_000;
  /** A packet is 104 bytes and a payload 48 (one of its fields is its loan) with compressed references. */
  private static final int PACKET_AND_PAYLOAD_BYTES = 152;

  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
  private final PacketCodec codec = new PacketCodec();
  private final RandomPackets packets = new RandomPackets(RandomPackets.seeded("PacketCodecAllocationTest"));
  private Packet last;

  @Test
  void shouldAllocateNothingWhenEncoding() {
    for (UnsafeBuffer buffer : buffers()) {
      Packet write = packets.next(Opcode.RC_RDMA_WRITE_ONLY, 8);
      Packet large = packets.next(Opcode.RC_SEND_ONLY_WITH_IMM, 4095);
      Packet ack = packets.next(Opcode.RC_ACKNOWLEDGE, 0);
      Runnable round = () -> {
        codec.encode(write, buffer, 0, false);
        codec.encode(write, buffer, 0, true);
        codec.encode(large, buffer, 0, true);
        codec.encode(ack, buffer, 0, true);
      };
      assertEquals(0, allocatedBytes(round), "bytes in " + ROUNDS + " rounds");
    }
  }

  @Test
  void shouldAllocateOnlyThePacketAndItsPayloadWhenDecoding() {
    for (UnsafeBuffer buffer : buffers()) {
      int length = codec.encode(packets.next(Opcode.RC_RDMA_WRITE_ONLY, 8), buffer, 0, false);
      long bytes = allocatedBytes(() -> last = codec.decode(buffer, 0, length, 1, 2, 0, false, null));
      assertTrue(bytes <= (long) ROUNDS * PACKET_AND_PAYLOAD_BYTES, bytes / ROUNDS + " bytes a packet");
      assertEquals(8, last.payload().length());
    }
  }

  private static UnsafeBuffer[] buffers() {
    return new UnsafeBuffer[] {
      new UnsafeBuffer(ByteBuffer.allocateDirect(8192)), new UnsafeBuffer(new byte[8192])
    };
  }

  /** The interpreter may box and escape analysis needs its profile, so the last of a few runs counts. */
  private long allocatedBytes(Runnable round) {
    long bytes = Long.MAX_VALUE;
    for (int run = 0; run < 10 && bytes > 0; run++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < ROUNDS; i++) {
        round.run();
      }
      bytes = Math.min(bytes, threads.getCurrentThreadAllocatedBytes() - before);
    }
    return bytes;
  }
}
