package dev.weft.lab.seed002;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.hca.registration.RegisteredMemory;
import dev.weft.hca.registration.Registrar;
import dev.weft.hca.registration.RegistrationSettings;
import dev.weft.hca.registration.RegistrationSettings.Strategy;
import dev.weft.hca.registration.RegistrationStats;
import dev.weft.hca.registration.RegistrationStrategy;
import dev.weft.hca.verbs.Access;
import dev.weft.lab.hosts.ChargingRegistrar;
import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.lab.hosts.VirtualHost;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/**
 * What registration costs a client that writes files (seed 002 section 6.7 and Figure 13): one operation after another, each from a
 * buffer that a strategy registers; the server reads the buffer by RDMA, stores it and answers, as the paper's server-based write does.
 * A strategy that is {@code static} has the whole pool registered beforehand: the paper's case without registration.
 */
public final class RegistrationExperiment {
  private static final long OPERATION_MAX_NS = TimeUnit.SECONDS.toNanos(1);
  private static final int PAGE = 4096;
  private static final int BATCH = 32;
  private static final long UNBOUNDED = 1L << 40;

  /**
   * What to run.
   *
   * @param strategy how buffers are registered
   * @param hitPercent share of operations whose buffer was used recently, 0 to 99
   * @param bytes length of a buffer and of a write, 4,096 to 16 MiB
   * @param operations writes, and buffers in the pool, 1 to 1,000,000
   * @param cacheEntries registrations that a cache keeps, 1 to 1,000,000
   * @param storeBytesPerSecond how fast the server's file system takes data; in virtual time only
   */
  public record Setup(Strategy strategy, int hitPercent, int bytes, int operations, int cacheEntries, long storeBytesPerSecond) {
    public Setup {
      check("hitPercent", hitPercent, 0, 99);
      check("bytes", bytes, PAGE, 16 << 20);
      check("operations", operations, 1, 1_000_000);
      check("cacheEntries", cacheEntries, 1, 1_000_000);
      check("storeBytesPerSecond", storeBytesPerSecond, 1, Long.MAX_VALUE / 2);
    }

    private static void check(String name, long value, long low, long high) {
      if (value < low || value > high) {
        throw new IllegalArgumentException(name + " is " + value + ", must be from " + low + " to " + high);
      }
    }

    private RegistrationSettings settings() {
      int entries = strategy == Strategy.STATIC ? 1 : cacheEntries;
      return new RegistrationSettings(strategy, entries, UNBOUNDED, BATCH, UNBOUNDED);
    }
  }

  /**
   * What came out.
   *
   * @param totalNs first registration to last answer, and the deregistration after it
   * @param stats of the strategy after the last operation
   * @param traceHash of the run in virtual time, else 0
   */
  public record Result(Setup setup, long totalNs, RegistrationStats stats, long traceHash) {
    public double operationNs() {
      return (double) totalNs / setup.operations();
    }

    public double bytesPerSecond() {
      return setup.bytes() * 1e9 / operationNs();
    }
  }

  private RegistrationExperiment() {}

  /** Runs in virtual time: registration is charged to the client's processors. Same profile, seed and setup: same result. */
  public static Result virtual(HardwareProfile profile, long seed, Setup setup) {
    try (VirtualFabric fabric = new VirtualFabric(seed, profile, LinkFaults.NONE, ConfigFactory.empty())) {
      Node client = fabric.addNode("client");
      Node server = fabric.addNode("server");
      WriteStream.Processor clientCpu = processor(VirtualHost.of(fabric, client.name()), "application");
      WriteStream.Processor serverCpu = processor(VirtualHost.of(fabric, server.name()), "store");
      boolean[] done = new boolean[1];
      WriteStream stream = new WriteStream(client, clientCpu, server, serverCpu, setup.bytes(),
          setup.bytes() * 1_000_000_000L / setup.storeBytesPerSecond(), () -> done[0] = true);
      int[] buffers = buffers(setup, seed);
      stream.useStrategy(registrar -> RegistrationStrategy.create(setup.settings(),
          new ChargingRegistrar(registrar, profile.memory(), stream::owe)), buffers, pool(setup));
      if (setup.strategy() == Strategy.STATIC) {
        stream.prepare();
      }
      stream.play();
      boolean ended = fabric.system().runUntil(() -> done[0], OPERATION_MAX_NS * setup.operations());
      return result(stream, ended, setup, fabric.system().traceHash());
    }
  }

  private static WriteStream.Processor processor(VirtualHost host, String process) {
    int number = host.addProcess(process);
    return (ns, next) -> host.compute(number, ns, next);
  }

  /**
   * Runs in real time in a fabric of its own, whose nodes are in this JVM: pages are touched and locked, and the thread that writes waits
   * for the hardware thread with each verb. The server stores nothing.
   *
   * @param overrides settings over the usual configuration; may be empty
   * @throws InterruptedException if the calling thread is interrupted while it waits
   */
  public static Result real(Setup setup, long seed, Config overrides) throws InterruptedException {
    try (LocalFabric fabric = LocalFabric.start(overrides)) {
      Node client = fabric.addNode("client");
      Node server = fabric.addNode("server");
      CountDownLatch done = new CountDownLatch(1);
      WriteStream stream = new WriteStream(client, WriteStream.AT_ONCE, server, WriteStream.AT_ONCE, setup.bytes(), 0,
          done::countDown);
      stream.useStrategy(registrar -> RegistrationStrategy.create(setup.settings(), registrar), buffers(setup, seed), pool(setup));
      if (setup.strategy() == Strategy.STATIC) {
        stream.prepare();
      }
      try {
        stream.play();
        return result(stream, done.await(10L + setup.operations() / 20, TimeUnit.SECONDS), setup, 0);
      } finally {
        stream.endServer();
      }
    }
  }

  /**
   * What a strategy charges to the client in all operations, in nanoseconds, without a fabric. Registration and deregistration come before
   * and after an operation and nothing overlaps them, so an operation takes this share longer than one without; a test compares.
   */
  public static long registrationNs(HardwareProfile profile, long seed, Setup setup) {
    long[] ns = new long[1];
    int[] buffers = buffers(setup, seed);
    LongConsumer charge = cost -> ns[0] += cost;
    // Only addresses count: nothing is behind this segment and nobody touches it.
    MemorySegment pool = MemorySegment.ofAddress(PAGE).reinterpret((long) setup.bytes() * setup.operations());
    RegistrationStrategy strategy = RegistrationStrategy.create(setup.settings(),
        new ChargingRegistrar(new PaperRegistrar(), profile.memory(), charge));
    for (int buffer : buffers) {
      MemorySegment memory = pool.asSlice((long) buffer * setup.bytes(), setup.bytes());
      strategy.release(strategy.acquire(memory, Access.REMOTE_READ));
    }
    return ns[0];
  }

  private static int[] buffers(Setup setup, long seed) {
    return BufferReuse.sequence(setup.operations(), setup.hitPercent(), setup.cacheEntries(), seed);
  }

  /** Lives as long as packets refer to it. */
  private static MemorySegment pool(Setup setup) {
    return Arena.ofAuto().allocate((long) setup.bytes() * setup.operations(), PAGE);
  }

  private static Result result(WriteStream stream, boolean ended, Setup setup, long traceHash) {
    if (stream.failure() != null || !ended) {
      throw new IllegalStateException(setup + (ended ? ": " + stream.failure() : " did not end in time"));
    }
    return new Result(setup, stream.totalNs(), stream.stats(), traceHash);
  }

  /** Registers nothing. */
  private static final class PaperRegistrar implements Registrar {
    private record Keys(int lkey) implements RegisteredMemory {
      @Override
      public int rkey() {
        return lkey;
      }

      @Override
      public boolean isPinned() {
        return false;
      }

      @Override
      public boolean isValid() {
        return true;
      }
    }

    private int keys;

    @Override
    public RegisteredMemory register(MemorySegment memory, int access, boolean fast) {
      return new Keys(++keys);
    }

    @Override
    public void deregister(RegisteredMemory registered, long lengthBytes) {}

    @Override
    public void deregisterAll(List<RegisteredMemory> registered, List<Long> lengthsBytes) {}
  }
}
