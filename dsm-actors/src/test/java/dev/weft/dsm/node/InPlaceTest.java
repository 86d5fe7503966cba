package dev.weft.dsm.node;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.dsm.DsmBarrier;
import dev.weft.dsm.DsmLock;
import dev.weft.dsm.SharedDoubles;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharingUnit;
import dev.weft.hca.node.LocalFabric;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Threads that use ranges of shared memory where they are. */
@Tag("actor")
@Timeout(180)
class InPlaceTest {
  private static final int LENGTH = 300;
  private static final SharingUnit UNIT = SharingUnit.elements(50);

  private final List<DsmNode> nodes = new ArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool(Thread.ofPlatform().daemon().factory());
  private LocalFabric fabric;

  private void start(String engine) {
    fabric = LocalFabric.start(ConfigFactory.parseString("weft.dsm.memory = 1 MiB\nweft.hca.pin-memory = false\nweft.dsm.engine = " + engine));
    for (int i = 0; i < 2; i++) {
      nodes.add(DsmNode.join(fabric, fabric.addNode("host-" + i), "test", "host-0"));
    }
  }

  @AfterEach
  void close() {
    nodes.forEach(DsmNode::close);
    fabric.close();
    threads.shutdownNow();
  }

  private SharedLongs longs(int node) {
    return nodes.get(node).longs("longs", LENGTH, UNIT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"request", "synchronous"})
  void shouldLoseNothingThatTwoNodesAddByPlainLoadsAndStores(String engine) throws Exception {
    start(engine);
    List<Future<?>> both = new ArrayList<>();
    for (DsmNode node : nodes) {
      SharedDoubles doubles = node.doubles("doubles", LENGTH, UNIT);
      both.add(threads.submit(() -> {
        for (int round = 0; round < 500; round++) {
          doubles.writeInPlace(30, 200, held -> {
            assertEquals(200 * Double.BYTES, held.byteSize());
            for (int i = 0; i < 200; i++) {
              assertEquals(held.getAtIndex(JAVA_DOUBLE, 0) - (i == 0 ? 0 : 1), held.getAtIndex(JAVA_DOUBLE, i));
              held.setAtIndex(JAVA_DOUBLE, i, held.getAtIndex(JAVA_DOUBLE, i) + 1);
            }
          });
          doubles.readInPlace(30, 200, held -> {
            for (int i = 0; i < 200; i++) {
              assertEquals(held.getAtIndex(JAVA_DOUBLE, 0), held.getAtIndex(JAVA_DOUBLE, i));
            }
          });
        }
      }));
    }
    for (Future<?> each : both) {
      each.get();
    }
    double[] all = new double[LENGTH];
    nodes.get(0).doubles("doubles", LENGTH, UNIT).read(0, all, 0, LENGTH);
    for (int i = 0; i < LENGTH; i++) {
      assertEquals(i >= 30 && i < 230 ? 1000 : 0, all[i], "element " + i);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"request", "synchronous"})
  void shouldTakeTheMemoryBackWhenTheCallReturns(String engine) throws Exception {
    start(engine);
    AtomicReference<MemorySegment> kept = new AtomicReference<>();
    longs(1).writeInPlace(0, LENGTH, held -> {
      kept.set(held);
      held.setAtIndex(JAVA_LONG, 7, 5);
      Future<?> other = threads.submit(() -> held.getAtIndex(JAVA_LONG, 7));
      assertTrue(assertThrows(Exception.class, other::get).getCause() instanceof WrongThreadException);
    });
    assertThrows(IllegalStateException.class, () -> kept.get().setAtIndex(JAVA_LONG, 7, 6));
    longs(0).readInPlace(7, 1, held -> {
      kept.set(held);
      assertEquals(5, held.getAtIndex(JAVA_LONG, 0));
      assertThrows(IllegalArgumentException.class, () -> held.setAtIndex(JAVA_LONG, 0, 6));
      assertThrows(IndexOutOfBoundsException.class, () -> held.getAtIndex(JAVA_LONG, 1));
    });
    assertThrows(IllegalStateException.class, () -> kept.get().getAtIndex(JAVA_LONG, 0));
    assertEquals(5, longs(1).get(7));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldLetOthersWaitUntilTheCallReturns(boolean writes) throws Exception {
    start("request");
    SharedLongs here = longs(0);
    here.set(60, 1);
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch ends = new CountDownLatch(1);
    Consumer<MemorySegment> use = held -> {
      inside.countDown();
      await(ends);
      assertEquals(1, held.getAtIndex(JAVA_LONG, 10));
      if (writes) {
        held.setAtIndex(JAVA_LONG, 11, 7);
      }
    };
    Future<?> holder = threads.submit(() -> {
      if (writes) {
        here.writeInPlace(50, 100, use);
      } else {
        here.readInPlace(50, 100, use);
      }
    });
    await(inside);
    Future<?> writer = threads.submit(() -> longs(1).set(60, 2));
    while (nodes.get(0).inspect().deferrals() == 0) {
      Thread.onSpinWait();
    }
    longs(1).set(200, 3); // What is not held is free.
    assertFalse(writer.isDone());
    ends.countDown();
    holder.get();
    writer.get();
    assertEquals(2, here.get(60));
    assertEquals(writes ? 7 : 0, longs(1).get(61));
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"request", "synchronous"})
  void shouldRefuseToWaitForAnythingWhileItHoldsARange(String engine) {
    start(engine);
    SharedLongs there = nodes.get(1).longs("other", 10, SharingUnit.whole());
    there.set(0, 1);
    SharedLongs other = nodes.get(0).longs("other", 10, SharingUnit.whole());
    DsmLock lock = nodes.get(0).lock("lock");
    nodes.get(1).lock("lock").acquire();
    DsmBarrier barrier = nodes.get(0).barrier("barrier", 1);
    SharedLongs here = longs(0);
    here.writeInPlace(0, LENGTH, held -> {
      assertEquals("this thread uses a range of shared memory in place; until that call returns it can hold no other range, and wait for nothing: "
          + "not for a lock, and not for other shared memory that is not here already",
          assertThrows(IllegalStateException.class, () -> other.get(0)).getMessage());
      assertThrows(IllegalStateException.class, () -> other.set(0, 2));
      assertThrows(IllegalStateException.class, () -> other.read(0, new long[10], 0, 10));
      assertThrows(IllegalStateException.class, () -> other.readInPlace(0, 1, nested -> {}));
      assertThrows(IllegalStateException.class, () -> here.writeInPlace(0, 1, nested -> {}));
      assertThrows(IllegalStateException.class, () -> lock.tryAcquire(Duration.ofSeconds(20)));
      assertThrows(IllegalStateException.class, barrier::await);
      assertThrows(IllegalStateException.class, () -> nodes.get(0).free("other"));
      assertThrows(IllegalStateException.class, nodes.get(0)::close);
      held.setAtIndex(JAVA_LONG, 0, 9);
    });
    assertEquals(1, other.get(0));
    barrier.await();
    assertEquals(9, longs(1).get(0));
  }

  @ParameterizedTest
  @ValueSource(strings = {"request", "synchronous"})
  void shouldLetGoWhatItHoldsWhenTheProgramFails(String engine) {
    start(engine);
    SharedLongs here = longs(0);
    IllegalCallerException failure = new IllegalCallerException("of the program");
    assertSame(failure, assertThrows(IllegalCallerException.class, () -> here.writeInPlace(0, LENGTH, held -> {
      held.setAtIndex(JAVA_LONG, 0, 3);
      throw failure;
    })));
    longs(1).writeInPlace(0, LENGTH, held -> assertEquals(3, held.getAtIndex(JAVA_LONG, 0)));
    here.writeInPlace(LENGTH, 0, held -> {
      throw failure; // Not called.
    });
    assertThrows(IndexOutOfBoundsException.class, () -> here.readInPlace(1, LENGTH, held -> {}));
    assertThrows(IndexOutOfBoundsException.class, () -> here.writeInPlace(-1, 1, held -> {}));
    nodes.get(1).free("longs");
    assertThrows(IllegalStateException.class, () -> here.readInPlace(0, 1, held -> {}));
    assertEquals(0, longs(0).get(0));
  }
}
