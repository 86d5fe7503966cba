package dev.weft.bench;

import dev.weft.fabric.packet.Opcode;
import dev.weft.fabric.packet.Packet;
import dev.weft.fabric.packet.PacketCodec;
import dev.weft.fabric.packet.Payload;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** One packet to bytes and back, as a trunk does it: with and without the ICRC. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CodecBenchmark {
  @Param({"8", "4096", "32768"})
  private int bytes;

  @Param({"false", "true"})
  private boolean icrc;

  private final PacketCodec codec = new PacketCodec();
  private final UnsafeBuffer target = new UnsafeBuffer(ByteBuffer.allocateDirect(1 << 17));
  private final UnsafeBuffer source = new UnsafeBuffer(ByteBuffer.allocateDirect(1 << 17));
  private Arena arena;
  private Packet packet;
  private int length;

  @Setup
  public void build() {
    arena = Arena.ofShared();
    MemorySegment memory = arena.allocate(bytes, 4096).fill((byte) 0x5a);
    packet = new Packet(Opcode.RC_RDMA_WRITE_ONLY, 1, 2, 0, false, true, Packet.DEFAULT_PKEY, 17, 99, 0x1000, 0x77, bytes, 0, 0, 0,
        0, 0, Payload.of(memory, 0, bytes));
    length = codec.encode(packet, source, 0, true);
  }

  @TearDown
  public void free() {
    arena.close();
  }

  @Benchmark
  public int encode() {
    return codec.encode(packet, target, 0, icrc);
  }

  @Benchmark
  public Packet decode() {
    return codec.decode(source, 0, length, 1, 2, 0, icrc, null);
  }
}
