package dev.weft.dsm.mmu;

import dev.weft.dsm.SharingUnit;
import dev.weft.dsm.access.Rights;
import dev.weft.dsm.mmu.LinuxCalls.Call;
import dev.weft.dsm.node.DsmNode;
import dev.weft.service.measure.LatencyRecorder;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntConsumer;

/**
 * Measures how long it takes to protect pages of an application in a process of its own, idle or busy, with one call for the group and with one for
 * each page.
 */
public final class ProtectTimes {
  private static final String ARRAY = "protect-pages";
  private static final String MEET = "protect-meet";
  private static final int PAGES = 32;
  private static final int[] GROUPS = {16, 32};
  private static volatile long spinning;

  private final DsmNode node;
  private final MmuServer server;
  private final int iterations;
  private final Map<String, LatencyRecorder> times = new LinkedHashMap<>();

  public ProtectTimes(DsmNode node, MmuServer server, int iterations) {
    this.node = node;
    this.server = server;
    this.iterations = iterations;
  }

  /** The application: touches all pages and waits; touches them again, and keeps a processor busy until the end. */
  public static void application(MmuClient client) {
    MappedView view = client.longs(ARRAY, PAGES * 512L, SharingUnit.pages(1));
    touch(view);
    client.barrier(MEET, 2);
    client.barrier(MEET, 2);
    Thread busy = Thread.ofPlatform().daemon().name("busy").start(() -> {
      while (!Thread.currentThread().isInterrupted()) {
        spinning++;
      }
    });
    touch(view);
    client.barrier(MEET, 2);
    client.barrier(MEET, 2);
    busy.interrupt();
  }

  private static void touch(MappedView view) {
    for (int page = 0; page < PAGES; page++) {
      view.set(page * 512L, page);
    }
  }

  /** Latencies in microseconds, by operation. */
  public Map<String, LatencyRecorder.Summary> measure() {
    measure("application idle");
    measure("application busy");
    Map<String, LatencyRecorder.Summary> found = new LinkedHashMap<>();
    times.forEach((what, recorder) -> found.put(what, recorder.summarise(1)));
    return found;
  }

  private void measure(String how) {
    node.barrier(MEET, 2).await();
    MappedArray array = server.array(ARRAY);
    for (int pages : GROUPS) {
      UserFault faults = array.faults(0);
      long address = array.address(0);
      long pageBytes = server.pageBytes();
      String tail = " " + pages + " pages, " + how + ": ";
      compare("write-protect" + tail, i -> faults.protect(address + i * pageBytes, pageBytes),
          () -> faults.protect(address, pages * pageBytes), () -> faults.unprotect(address, pages * pageBytes), pages);
      byte[] read = filled(pages, Rights.READ);
      byte[] write = filled(pages, Rights.WRITE);
      int[] all = new int[pages];
      Arrays.setAll(all, i -> i);
      compare("and copy to the frame," + tail, i -> require(server.manager().protect(array, new int[] {i}, new byte[] {Rights.READ})),
          () -> require(server.manager().protect(array, all, read)), () -> require(server.manager().protect(array, all, write)), pages);
    }
    long own = LinuxCalls.map(array.file(), PAGES * (long) server.pageBytes());
    try {
      // Pages of this process that it has not touched: the least cost of page protection within a process.
      compare("mprotect(2) of this process, 32 pages, " + how + ": ", i -> protect(own + i * (long) server.pageBytes(), server.pageBytes(), 1),
          () -> protect(own, PAGES * (long) server.pageBytes(), 1), () -> protect(own, PAGES * (long) server.pageBytes(), 3), PAGES);
    } finally {
      LinuxCalls.call(Call.MUNMAP, own, PAGES * (long) server.pageBytes(), 0);
    }
    node.barrier(MEET, 2).await();
  }

  private static void protect(long address, long bytes, int how) {
    LinuxCalls.require(LinuxCalls.call(Call.MPROTECT, address, bytes, how), "mprotect");
  }

  private static void require(ViewManager.Outcome outcome) {
    if (outcome != ViewManager.Outcome.DONE) {
      throw new IllegalStateException("another thread changes views while this one measures");
    }
  }

  private static byte[] filled(int count, byte value) {
    byte[] bytes = new byte[count];
    Arrays.fill(bytes, value);
    return bytes;
  }

  private void compare(String what, IntConsumer one, Runnable group, Runnable back, int pages) {
    LatencyRecorder single = times.computeIfAbsent(what + pages + " calls", name -> new LatencyRecorder());
    LatencyRecorder together = times.computeIfAbsent(what + "1 call", name -> new LatencyRecorder());
    for (int round = -iterations / 4; round < iterations; round++) {
      back.run();
      long start = System.nanoTime();
      for (int i = 0; i < pages; i++) {
        one.accept(i);
      }
      long middle = System.nanoTime();
      back.run();
      long again = System.nanoTime();
      group.run();
      long end = System.nanoTime();
      if (round >= 0) {
        single.record(middle - start);
        together.record(end - again);
      }
    }
  }
}
