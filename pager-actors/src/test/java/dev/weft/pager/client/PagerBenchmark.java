package dev.weft.pager.client;

import com.typesafe.config.ConfigFactory;
import dev.weft.hca.node.LocalFabric;
import dev.weft.pager.BlockDevice;
import dev.weft.pager.server.MemoryServer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** Speed of a device in one JVM, started by hand: arguments are none. Prints requests per second and bytes per second. */
final class PagerBenchmark {
  private static final long RUN_NS = 2_000_000_000L;

  private PagerBenchmark() {}

  public static void main(String[] args) {
    LocalFabric fabric = LocalFabric.start(ConfigFactory.empty());
    try {
      MemoryServer.start(fabric.addNode("server"), MemoryServer.SERVICE, SimulatedPager.serverSettings("memory = 256 MiB"));
      CompletableFuture<PagerDevice> opened = new CompletableFuture<>();
      PagerClient.open(fabric.addNode("client"), "bench", List.of(new ServerSpec("server", MemoryServer.SERVICE, 256 << 20)),
          SimulatedPager.clientSettings("pool-size = 8 MiB"), new TestHelp(fabric.dispatcher()), new PagerClient.OpenListener() {
            @Override
            public void onOpen(PagerDevice device) {
              opened.complete(device);
            }

            @Override
            public void onFailed(String reason) {
              opened.completeExceptionally(new IllegalStateException(reason));
            }
          });
      PagerDevice device = opened.orTimeout(10, TimeUnit.SECONDS).join();
      for (int round = 0; round < 2; round++) {
        for (boolean isWrite : new boolean[] {true, false}) {
          run(device, isWrite, 4096, 1);
          run(device, isWrite, 4096, 16);
          run(device, isWrite, 131_072, 8);
        }
      }
    } finally {
      fabric.close();
    }
  }

  /** Keeps {@code depth} requests outstanding for a while; the next is submitted by the completion of the last. */
  private static void run(PagerDevice device, boolean isWrite, int bytes, int depth) {
    AtomicLong count = new AtomicLong();
    long startNs = System.nanoTime();
    List<CompletableFuture<Void>> streams = new ArrayList<>();
    for (int i = 0; i < depth; i++) {
      BlockDevice.Buffer buffer = device.tryAcquire(bytes, null);
      buffer.segment().fill((byte) i);
      CompletableFuture<Void> end = new CompletableFuture<>();
      streams.add(end);
      step(device, isWrite, bytes, i * 7919L, buffer, count, startNs, end);
    }
    long[] late = new long[1];
    while (!streams.stream().allMatch(CompletableFuture::isDone)) {
      device.help(() -> Arrays.stream(late).sum() == 1, 1_000_000);
    }
    double seconds = (System.nanoTime() - startNs) / 1e9;
    System.out.printf("%s %6d B depth %2d: %7.1f k/s %6.2f GB/s %6.2f us%n", isWrite ? "write" : "read ", bytes, depth,
        count.get() / seconds / 1e3, count.get() * (double) bytes / seconds / 1e9, seconds / count.get() * 1e6 * depth);
  }

  private static void step(PagerDevice device, boolean isWrite, int bytes, long block, BlockDevice.Buffer buffer, AtomicLong count,
      long startNs, CompletableFuture<Void> end) {
    if (System.nanoTime() - startNs > RUN_NS) {
      buffer.release();
      end.complete(null);
      return;
    }
    long offset = Math.floorMod(block * 31L, device.sizeBytes() / bytes) * bytes;
    BlockDevice.Completion next = errno -> {
      count.incrementAndGet();
      step(device, isWrite, bytes, block + 1, buffer, count, startNs, end);
    };
    if (isWrite) {
      device.write(offset, buffer, false, next);
    } else {
      device.read(offset, buffer, next);
    }
  }
}
