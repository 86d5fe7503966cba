package dev.weft.pager.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.hca.node.LocalFabric;
import dev.weft.hca.node.Node;
import dev.weft.pager.BlockDevice;
import dev.weft.pager.Errno;
import dev.weft.pager.server.MemoryServer;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The same actors in real time, with several threads that submit. */
@Tag("simulation")
@Timeout(180)
class PagerLocalTest {
  private static final int AREA_BYTES = 4 << 20;

  static PagerDevice open(LocalFabric fabric, Node node, List<String> servers) {
    List<ServerSpec> specs = servers.stream().map(name -> new ServerSpec(name, MemoryServer.SERVICE, AREA_BYTES)).toList();
    CompletableFuture<PagerDevice> opened = new CompletableFuture<>();
    PagerClient.open(node, "test", specs, SimulatedPager.clientSettings(""), new TestHelp(fabric.dispatcher()),
        new PagerClient.OpenListener() {
          @Override
          public void onOpen(PagerDevice device) {
            opened.complete(device);
          }

          @Override
          public void onFailed(String reason) {
            opened.completeExceptionally(new IllegalStateException(reason));
          }
        });
    return opened.orTimeout(90, TimeUnit.SECONDS).join();
  }

  @Test
  void shouldKeepEveryByteWhenManyThreadsSubmit() throws InterruptedException {
    LocalFabric fabric = LocalFabric.start(ConfigFactory.empty());
    try {
      List<String> names = List.of("s0", "s1");
      for (String name : names) {
        MemoryServer.start(fabric.addNode(name), MemoryServer.SERVICE, SimulatedPager.serverSettings("memory = 8 MiB"));
      }
      PagerDevice device = open(fabric, fabric.addNode("client"), names);
      AtomicReference<String> problem = new AtomicReference<>();
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        int id = t;
        threads.add(Thread.ofPlatform().start(() -> useSlice(device, id, problem)));
      }
      for (Thread thread : threads) {
        thread.join(25_000);
        assertTrue(!thread.isAlive(), "a thread hangs: " + device.pool().snapshot() + " in flight " + device.inFlight());
      }
      assertNull(problem.get());
      assertEquals(0, device.inFlight());
      assertEquals(device.pool().snapshot().sizeBytes(), device.pool().snapshot().largestFreeBytes());
      Semaphore closed = new Semaphore(0);
      device.close();
      while (!closed.tryAcquire(1, TimeUnit.MILLISECONDS)) {
        device.trim(0, 4096, errno -> {
          if (errno == Errno.ESHUTDOWN) {
            closed.release();
          }
        });
      }
    } finally {
      fabric.close();
    }
  }

  /** Each thread has a quarter of the device: slice 1 and 2 meet where the servers' areas meet. */
  private static void useSlice(PagerDevice device, int id, AtomicReference<String> problem) {
    try {
      Random random = new Random(id);
      int slice = (int) device.sizeBytes() / 4;
      byte[] model = new byte[slice];
      for (int step = 0; step < 1500 && problem.get() == null; step++) {
        int length = 1 + random.nextInt(random.nextBoolean() ? 4096 : device.maxRequestBytes());
        int at = random.nextInt(slice - length);
        BlockDevice.Buffer buffer = acquire(device, length);
        Semaphore done = new Semaphore(0);
        AtomicInteger status = new AtomicInteger();
        BlockDevice.Completion completion = errno -> {
          status.set(errno);
          done.release();
        };
        if (random.nextBoolean()) {
          byte[] data = new byte[length];
          random.nextBytes(data);
          java.lang.foreign.MemorySegment.copy(data, 0, buffer.segment(), ValueLayout.JAVA_BYTE, 0, length);
          System.arraycopy(data, 0, model, at, length);
          device.write((long) id * slice + at, buffer, false, completion);
          await(device, done);
        } else {
          device.read((long) id * slice + at, buffer, completion);
          await(device, done);
          byte[] data = buffer.segment().toArray(ValueLayout.JAVA_BYTE);
          int mismatch = java.util.Arrays.mismatch(data, 0, length, model, at, at + length);
          if (mismatch >= 0) {
            problem.set("thread " + id + " step " + step + ": byte " + (at + mismatch) + " is wrong");
          }
        }
        if (status.get() != Errno.OK) {
          problem.set("thread " + id + " step " + step + ": errno " + status.get());
        }
        buffer.release();
      }
    } catch (InterruptedException | RuntimeException e) {
      problem.set("thread " + id + ": " + e);
    }
  }

  private static void await(PagerDevice device, Semaphore done) throws InterruptedException {
    device.help(() -> done.availablePermits() > 0, 50_000);
    if (!done.tryAcquire(90, TimeUnit.SECONDS)) {
      throw new IllegalStateException("a request does not end");
    }
  }

  private static BlockDevice.Buffer acquire(PagerDevice device, int length) throws InterruptedException {
    while (true) {
      Semaphore available = new Semaphore(0);
      BlockDevice.Buffer buffer = device.tryAcquire(length, available::release);
      if (buffer != null) {
        return buffer;
      }
      if (!available.tryAcquire(90, TimeUnit.SECONDS)) {
        throw new IllegalStateException("no buffer comes free");
      }
    }
  }
}
