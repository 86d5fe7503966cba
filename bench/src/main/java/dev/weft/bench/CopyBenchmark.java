package dev.weft.bench;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** One copy between native segments: what a write within one JVM cannot be faster than. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class CopyBenchmark {
  @Param({"8", "4096", "65536", "1048576"})
  private int bytes;

  private Arena arena;
  private MemorySegment from;
  private MemorySegment to;

  @Setup
  public void allocate() {
    arena = Arena.ofConfined();
    from = arena.allocate(bytes, 4096).fill((byte) 1);
    to = arena.allocate(bytes, 4096).fill((byte) 2);
  }

  @TearDown
  public void free() {
    arena.close();
  }

  @Benchmark
  public MemorySegment copy() {
    MemorySegment.copy(from, 0, to, 0, bytes);
    return to;
  }
}
