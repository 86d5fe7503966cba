package dev.weft.pager.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.link.LinkFaults;
import dev.weft.fabric.link.LinkProfile;
import dev.weft.fabric.seeds.Seeds;
import dev.weft.hca.netvm.VmSnapshot;
import dev.weft.hca.node.Node;
import dev.weft.hca.node.VirtualFabric;
import dev.weft.pager.BlockDevice;
import dev.weft.pager.Errno;
import dev.weft.pager.Notification;
import dev.weft.pager.PagerSettings;
import dev.weft.pager.server.MemoryServer;
import dev.weft.pager.server.MemoryServerSnapshot;
import dev.weft.pager.server.ServerSettings;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The client and its servers over the whole fabric in virtual time, from seeds. */
@Tag("slow")
@Tag("simulation")
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class PagerSimulationTest {
  private static final LinkFaults FAULTS = new LinkFaults(0.01, 0.01, 0.01, 0.005, 20_000);
  private static final PagerSettings CLIENT =
      SimulatedPager.clientSettings("pool-size = 512 KiB, credits = 8, request-timeout = 10 s");

  private static final String UNPINNED = "registration = unpinned, resident-memory = 96 KiB";

  private static final String TRIPWIRE = "notification = tripwire\n";
  private static final PagerSettings TOLD = SimulatedPager.clientSettings("pool-size = 512 KiB, credits = 8, " + TRIPWIRE);

  private static ServerSettings server(String more) {
    return SimulatedPager.serverSettings("memory = 8 MiB, clients-max = 4, credits = 16\n" + more);
  }

  @Test
  void shouldKeepEveryByteWhenReadsWritesAndTrimsAreMixed() {
    String[] variants = {"", "store = staged, staging-slots = 2", "poll-interval = 2 us", "store = staged, poll-interval = 5 us"};
    Seeds.of(PagerSimulationTest.class, "pager-client", 0, 12, 12).run(seed -> {
      int servers = 1 + (int) (seed % 4);
      try (SimulatedPager pager = new SimulatedPager(seed, seed % 3 == 0 ? FAULTS : LinkFaults.NONE, servers,
          server(variants[(int) (seed / 3 % 4)]))) {
        runWorkload(pager, seed, 250);
      }
    });
  }

  @Test
  void shouldKeepEveryByteInVirtualMemoryOfWhichLittleIsInMemory() {
    Seeds.of(PagerSimulationTest.class, "pager-client-unpinned", 20, 6, 6).run(seed -> {
      int servers = 1 + (int) (seed % 3);
      try (SimulatedPager pager = new SimulatedPager(seed, seed % 3 == 0 ? FAULTS : LinkFaults.NONE, servers, server(UNPINNED))) {
        runWorkload(pager, seed, 250);
        VmSnapshot memory = pager.nodes.getFirst().hca().inspectVm().memory();
        assertTrue(memory.pageOuts() > 0, "seed " + seed + ": nothing had to leave, " + memory);
        assertEquals(0, memory.failures(), "seed " + seed);
      }
    });
  }

  /** Writes fit into memory and end well, their pages have to leave, and the disk is full: no flush may say that they are safe. */
  @Test
  void shouldFailAFlushWhenThePageFileCouldNotKeepWhatWasWritten() {
    try (SimulatedPager pager = new SimulatedPager(27, LinkFaults.NONE, 1, server(UNPINNED))) {
      PagerDevice device = open(pager, "a", 4 << 20, CLIENT);
      PagerWorkload workload = new PagerWorkload(device, new Random(27), 27);
      workload.writeAndWait(pager, 0, 64 << 10);
      assertEquals(Errno.OK, flush(pager, device.flusher()));
      pager.disksAreFull = true;
      for (int i = 1; i < 8 && pager.nodes.getFirst().hca().inspectVm().memory().failures() == 0; i++) {
        workload.writeAndWait(pager, i * (64L << 10), 64 << 10);
        pager.fabric.system().runFor(SimulatedPager.SECOND / 10);
      }
      assertTrue(pager.nodes.getFirst().hca().inspectVm().memory().failures() > 0, "no page was lost");
      assertEquals(Errno.EIO, flush(pager, device.flusher()));
    }
  }

  /** Data goes with the request only where both sides allow it, and then no RDMA Read is left to do. */
  @ParameterizedTest
  @CsvSource({"'', '', 4096", "'', inline-write = 0, 0", "inline-write = 0, '', 0", "inline-write = 1 KiB, inline-write = 64 KiB, 1024",
      "inline-write = 64 KiB, inline-write = 512, 512", "'', store = staged, 0", "'', notification = tripwire, 0", "'', '" + UNPINNED + "', 0"})
  void shouldSendTheDataOfShortWritesWithTheRequest(String client, String server, int inlineBytes) {
    for (long seed = 50; seed < 53; seed++) {
      try (SimulatedPager pager = new SimulatedPager(seed, seed == 50 ? LinkFaults.NONE : FAULTS, 1, server(server))) {
        PagerDevice device = open(pager, "a", 1 << 19, SimulatedPager.clientSettings("pool-size = 512 KiB\n" + client));
        for (int bytes : new int[] {512, 1024, 4096}) {
          writeAndReadBack(pager, device, bytes, seed);
          MemoryServerSnapshot after = pager.inspect(pager.servers.getFirst());
          assertEquals(bytes <= inlineBytes, after.rdmaOutstandingMax() == 0, "seed " + seed + ", " + bytes + " bytes: " + after);
        }
        MemoryServerSnapshot after = pager.inspect(pager.servers.getFirst());
        assertEquals(LongStream.of(512, 1024, 4096).filter(bytes -> bytes <= inlineBytes).count(), after.inlineWrites(), "seed " + seed);
        assertEquals(512 + 1024 + 4096, after.bytesWritten(), "seed " + seed);
      }
    }
  }

  private static void writeAndReadBack(SimulatedPager pager, PagerDevice device, int bytes, long seed) {
    byte[] data = new byte[bytes];
    new Random(seed + bytes).nextBytes(data);
    int[] done = new int[2];
    BlockDevice.Buffer buffer = device.tryAcquire(bytes, null);
    MemorySegment.copy(MemorySegment.ofArray(data), 0, buffer.segment(), 0, bytes);
    device.write(8192, buffer, false, errno -> {
      done[0] = 1 + errno;
      buffer.segment().fill((byte) 0);
      device.read(8192, buffer, second -> done[1] = 1 + second);
    });
    assertTrue(pager.fabric.system().runUntil(() -> done[1] != 0, 10 * SimulatedPager.SECOND), "seed " + seed);
    assertArrayEquals(new int[] {1, 1}, done, "seed " + seed);
    assertArrayEquals(data, buffer.segment().toArray(ValueLayout.JAVA_BYTE), "seed " + seed);
    buffer.release();
  }

  /** The first client's data is in the page file; the area is given to another, which must read zeros and keep its own data. */
  @Test
  void shouldShowNothingOfAFormerClientInVirtualMemory() {
    try (SimulatedPager pager = new SimulatedPager(7, LinkFaults.NONE, 1, server(UNPINNED))) {
      PagerDevice first = open(pager, "first", 4 << 20, CLIENT);
      PagerWorkload before = new PagerWorkload(first, new Random(1), 7);
      run(pager, before, 200, 7);
      first.close();
      pager.fabric.system().runFor(SimulatedPager.SECOND);
      PagerDevice second = open(pager, "second", 4 << 20, CLIENT);
      PagerWorkload after = new PagerWorkload(second, new Random(2), 8);
      after.readAll(pager);
      run(pager, after, 200, 8);
      after.readAll(pager);
      assertNull(after.problem());
    }
  }

  @Test
  void shouldRefuseAStagedStoreInVirtualMemory() {
    IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> server("store = staged, registration = unpinned"));
    assertTrue(refused.getMessage().contains("must be direct"), refused.getMessage());
  }

  /** Either side may be told by Tripwires, or both, which are one more for each connection. */
  @Test
  void shouldKeepEveryByteWhenWritesTellOfRequestsAndReplies() {
    String[] servers = {TRIPWIRE, "", TRIPWIRE + "poll-interval = 2 us", TRIPWIRE + UNPINNED};
    Seeds.of(PagerSimulationTest.class, "pager-client-tripwire", 30, 8, 8).run(seed -> {
      ServerSettings server = server(servers[(int) (seed % 4)]);
      PagerSettings client = seed % 3 == 0 ? CLIENT : TOLD;
      try (SimulatedPager pager = new SimulatedPager(seed, seed % 5 < 2 ? FAULTS : LinkFaults.NONE, 1 + (int) (seed % 3), server)) {
        PagerSnapshot view = runWorkload(pager, client, seed, 150);
        boolean isTold = client.notification() == Notification.TRIPWIRE;
        assertEquals(isTold, view.tripwireNotices() > 0, "seed " + seed);
        assertTrue(!isTold || view.completionEvents() < view.tripwireNotices() / 4, "seed " + seed + ": replies made events, " + view);
        MemoryServerSnapshot one = pager.inspect(pager.servers.getFirst());
        assertEquals(server.notification() == Notification.TRIPWIRE, one.tripwireNotices() > 0, "seed " + seed);
      }
    });
  }

  @Test
  void shouldRefuseToBeToldByTripwiresWithoutSuch() {
    try (VirtualFabric fabric = VirtualFabric.create(1, LinkFaults.NONE)) {
      Node bare = fabric.addNode("bare");
      IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
          () -> MemoryServer.start(bare, MemoryServer.SERVICE, server("notification = tripwire")));
      assertTrue(refused.getMessage().contains("bare has no CLAN NIC"), refused.getMessage());
    }
  }

  private static void runWorkload(SimulatedPager pager, long seed, int requests) {
    runWorkload(pager, CLIENT, seed, requests);
  }

  private static PagerSnapshot runWorkload(SimulatedPager pager, PagerSettings settings, long seed, int requests) {
    PagerDevice device = open(pager, "a", 1 << 19, settings);
    PagerWorkload workload = new PagerWorkload(device, new Random(seed), seed);
    run(pager, workload, requests, seed);
    pager.fabric.system().runFor(10_000_000); // longer than the servers' idle time
    workload.readAll(pager);
    assertNull(workload.problem(), "seed " + seed);
    PagerSnapshot client = pager.inspect(device);
    assertEquals(0, client.inFlight(), "seed " + seed);
    assertEquals(client.pool().sizeBytes(), client.pool().largestFreeBytes(), "seed " + seed + ": the pool must be whole again");
    for (PagerSnapshot.Server link : client.servers()) {
      assertEquals(link.creditsMax(), link.creditsFree(), "seed " + seed);
      assertEquals(8, link.creditsMax());
    }
    pager.fabric.system().runFor(SimulatedPager.SECOND * 30); // The last answer may have been sent again and again after it arrived.
    for (MemoryServer server : pager.servers) {
      MemoryServerSnapshot view = pager.inspect(server);
      assertEquals(0, view.rdmaOutstanding(), "seed " + seed);
      assertEquals(0, view.clients().getFirst().outstanding(), "seed " + seed);
      assertTrue(view.idle() && view.idlePhases() > 0, "seed " + seed + ": " + view);
      assertEquals(view.sleeps() > 0, view.wakeups() > 0, "seed " + seed + ": a server that sleeps was woken: " + view);
    }
    return client;
  }

  private static void run(SimulatedPager pager, PagerWorkload workload, int requests, long seed) {
    workload.start(requests, 12);
    boolean done = pager.fabric.system().runUntil(workload::isDone, 120 * SimulatedPager.SECOND);
    assertTrue(done, "seed " + seed + ": " + workload);
    assertNull(workload.problem(), "seed " + seed);
  }

  private static PagerDevice open(SimulatedPager pager, String node, long areaBytes, PagerSettings settings) {
    List<String> refused = new ArrayList<>();
    PagerDevice device = pager.open(pager.addNode(node), node, areaBytes, settings, refused);
    assertNotNull(device, () -> "not opened: " + refused);
    return device;
  }

  @Test
  void shouldFailOnlyItsOwnAreaWhenAServerIsKilled() {
    for (long seed = 100; seed < 108; seed++) {
      boolean told = seed % 2 == 0;
      boolean byWrites = seed >= 106;
      try (SimulatedPager pager = new SimulatedPager(seed, LinkFaults.NONE, 3, server(byWrites ? TRIPWIRE : ""))) {
        PagerDevice device = open(pager, "a", 1 << 19, byWrites ? TOLD : CLIENT);
        PagerWorkload workload = new PagerWorkload(device, new Random(seed), seed);
        workload.start(600, 12);
        pager.fabric.system().runUntil(() -> workload.completed() > 200, SimulatedPager.SECOND);
        workload.expectErrorsIn(device.areas().start(1), device.areas().end(1));
        if (told) {
          pager.fabric.loseNode("server1");
        } else {
          pager.fabric.link("server1").setPartitioned(true);
        }
        boolean done = pager.fabric.system().runUntil(workload::isDone, 60 * SimulatedPager.SECOND);
        assertTrue(done, "seed " + seed + ": " + workload);
        assertNull(workload.problem(), "seed " + seed);
        assertTrue(workload.errors() > 0, "seed " + seed + ": nothing failed");
        PagerSnapshot view = pager.inspect(device);
        assertEquals(List.of(true, false, true), view.servers().stream().map(PagerSnapshot.Server::isUp).toList());
        assertEquals(view.pool().sizeBytes(), view.pool().largestFreeBytes(), "seed " + seed);
        assertEquals(Errno.EIO, flush(pager, device::flush), "seed " + seed);
      }
    }
  }

  /** Flushes and waits; the outcome. */
  private static int flush(SimulatedPager pager, BlockDevice.Flusher flusher) {
    int[] outcome = {-1};
    flusher.flush(errno -> outcome[0] = errno);
    assertTrue(pager.fabric.system().runUntil(() -> outcome[0] >= 0, 60 * SimulatedPager.SECOND), "a flush does not end");
    return outcome[0];
  }

  /** Requests one block of each of two areas; the outcomes. */
  private static List<Integer> zeroBoth(SimulatedPager pager, PagerDevice device) {
    List<Integer> outcomes = new ArrayList<>();
    for (int server = 0; server < 2; server++) {
      int before = outcomes.size();
      device.writeZeroes(device.areas().start(server), 4096, false, outcomes::add);
      assertTrue(pager.fabric.system().runUntil(() -> outcomes.size() > before, 60 * SimulatedPager.SECOND));
    }
    return outcomes;
  }

  @Test
  void shouldTellEachConsumerOnceOfLostDataAndThenFlushTheLivingAreas() {
    try (SimulatedPager pager = new SimulatedPager(12, LinkFaults.NONE, 2, server(""))) {
      PagerDevice device = open(pager, "a", 1 << 20, CLIENT);
      BlockDevice.Flusher one = device.flusher();
      BlockDevice.Flusher two = device.flusher();
      assertEquals(List.of(Errno.OK, Errno.OK), zeroBoth(pager, device));
      assertEquals(Errno.OK, flush(pager, one));
      pager.fabric.loseNode("server1");
      pager.fabric.system().runFor(SimulatedPager.SECOND);
      assertEquals(Errno.EIO, flush(pager, one), "what was acknowledged is lost");
      assertEquals(List.of(Errno.OK, Errno.EIO), zeroBoth(pager, device), "requests to the dead area go on failing");
      assertEquals(Errno.OK, flush(pager, one), "told once; the write that failed is known to its writer");
      assertEquals(Errno.EIO, flush(pager, two), "the other consumer is told, too");
      assertEquals(Errno.OK, flush(pager, two));
      assertEquals(Errno.OK, flush(pager, device.flusher()), "one that comes later wrote nothing that was lost");
      pager.fabric.loseNode("server0");
      pager.fabric.system().runFor(SimulatedPager.SECOND);
      assertEquals(Errno.EIO, flush(pager, one), "a second loss is news");
      device.close();
      pager.fabric.system().runFor(SimulatedPager.SECOND);
      assertEquals(Errno.ESHUTDOWN, flush(pager, two));
    }
  }

  @Test
  void shouldNotFailFlushesWhenAServerDiesThatHeldNothing() {
    try (SimulatedPager pager = new SimulatedPager(13, LinkFaults.NONE, 2, server(""))) {
      PagerDevice device = open(pager, "a", 1 << 20, CLIENT);
      pager.fabric.loseNode("server1");
      pager.fabric.system().runFor(SimulatedPager.SECOND);
      assertEquals(List.of(Errno.OK, Errno.EIO), zeroBoth(pager, device));
      assertEquals(Errno.OK, flush(pager, device::flush));
    }
  }

  @Test
  void shouldNotFlushSuccessfullyWhileADeathIsNotNoticedYet() {
    try (SimulatedPager pager = new SimulatedPager(14, LinkFaults.NONE, 2, server(""))) {
      PagerDevice device = open(pager, "a", 1 << 20, CLIENT);
      assertEquals(List.of(Errno.OK, Errno.OK), zeroBoth(pager, device));
      pager.fabric.link("server1").setPartitioned(true);
      assertEquals(Errno.EIO, flush(pager, device::flush));
      assertEquals(Errno.OK, flush(pager, device::flush));
    }
  }

  @Test
  void shouldServeTwoClientsFromAreasOfTheirOwn() {
    try (SimulatedPager pager = new SimulatedPager(7, LinkFaults.NONE, 2, server(""))) {
      PagerDevice first = open(pager, "a", 1 << 19, CLIENT);
      PagerDevice second = open(pager, "b", 1 << 19, CLIENT);
      PagerWorkload one = new PagerWorkload(first, new Random(1), 7);
      PagerWorkload two = new PagerWorkload(second, new Random(2), 7);
      one.start(300, 8);
      two.start(300, 8);
      assertTrue(pager.fabric.system().runUntil(() -> one.isDone() && two.isDone(), 60 * SimulatedPager.SECOND));
      one.readAll(pager);
      two.readAll(pager);
      assertNull(one.problem());
      assertNull(two.problem());
    }
  }

  @Test
  void shouldGiveZerosToTheNextClientOfAnArea() {
    try (SimulatedPager pager = new SimulatedPager(8, LinkFaults.NONE, 1, server(""))) {
      PagerDevice first = open(pager, "a", 1 << 20, CLIENT);
      PagerWorkload one = new PagerWorkload(first, new Random(1), 8);
      run(pager, one, 300, 8);
      first.close();
      pager.fabric.system().runFor(SimulatedPager.SECOND);
      assertEquals(8 << 20, pager.inspect(pager.servers.getFirst()).freeBytes());
      List<Integer> closed = new ArrayList<>();
      first.trim(0, 4096, closed::add);
      assertEquals(List.of(Errno.ESHUTDOWN), closed);
      PagerDevice second = open(pager, "b", 1 << 20, CLIENT);
      PagerWorkload two = new PagerWorkload(second, new Random(2), 8);
      two.readAll(pager);
      run(pager, two, 300, 8);
      two.readAll(pager);
      assertNull(two.problem());
    }
  }

  @Test
  void shouldSayWhyWhenAServerHasNoMemoryLeft() {
    try (SimulatedPager pager = new SimulatedPager(9, LinkFaults.NONE, 2, server(""))) {
      open(pager, "a", 5 << 20, CLIENT);
      List<String> refused = new ArrayList<>();
      assertNull(pager.open(pager.fabric.addNode("b"), "b", 5 << 20, CLIENT, refused));
      assertEquals(1, refused.size());
      assertTrue(refused.getFirst().contains("NO_MEMORY") && refused.getFirst().contains(Integer.toString(3 << 20)), refused::toString);
      List<String> unknown = new ArrayList<>();
      pager.serverNodes.set(1, "nowhere");
      assertNull(pager.open(pager.fabric.addNode("c"), "c", 1 << 20, CLIENT, unknown));
      assertTrue(unknown.getFirst().contains("nowhere") && unknown.getFirst().contains("UNKNOWN_NODE"), unknown::toString);
      pager.fabric.system().runFor(SimulatedPager.SECOND);
      assertEquals(3 << 20, pager.inspect(pager.servers.getFirst()).freeBytes(), "the area of the failed attempt is free again");
    }
  }

  @ParameterizedTest
  @CsvSource({"weft.hca.rd-atomic-max = 8, rdAtomic", "weft.hca.completions-max = 16, cqe"})
  void shouldSayAtOnceWhyTheServersCannotBeAsked(String limit, String word) {
    // Regions for the pool and one channel only, so that the second attempt shows that the first gave its own back.
    VirtualFabric fabric = new VirtualFabric(15, new LinkProfile(1_000, 10_000_000_000L), LinkFaults.NONE,
        ConfigFactory.parseString(limit + "\nweft.hca.memory-regions-max = 2"));
    try (fabric) {
      Node node = fabric.addNode("a");
      for (String attempt : List.of("first", "second")) {
        List<String> refused = new ArrayList<>();
        PagerClient.open(node, attempt, List.of(new ServerSpec("b", "pager", 1 << 20)), CLIENT, null, new PagerClient.OpenListener() {
          @Override
          public void onOpen(PagerDevice device) {
            refused.add("opened");
          }

          @Override
          public void onFailed(String reason) {
            refused.add(reason);
          }
        });
        fabric.system().runFor(1_000_000);
        assertEquals(1, refused.size(), attempt);
        assertTrue(refused.getFirst().contains("cannot be asked") && refused.getFirst().contains(word), refused::toString);
      }
    }
  }

  @Test
  void shouldReportExtentsAcrossServersInOrder() {
    try (SimulatedPager pager = new SimulatedPager(10, LinkFaults.NONE, 2, server(""))) {
      PagerDevice device = open(pager, "a", 1 << 20, CLIENT);
      PagerWorkload workload = new PagerWorkload(device, new Random(3), 10);
      for (int block = 0; block < 512; block += 2) {
        workload.writeAndWait(pager, (long) block * 4096, 4096);
      }
      List<String> extents = new ArrayList<>();
      int[] done = {-1};
      device.blockStatus(4096, (2 << 20) - 4096, (offset, length, allocated, zero) -> {
        extents.add(offset + "+" + length + (allocated ? "d" : "h"));
        return true;
      }, errno -> done[0] = errno);
      assertTrue(pager.fabric.system().runUntil(() -> done[0] >= 0, SimulatedPager.SECOND));
      assertEquals(Errno.OK, done[0]);
      assertEquals(511, extents.size());
      for (int i = 0; i < 511; i++) {
        assertEquals((4096L + i * 4096L) + "+4096" + (i % 2 == 0 ? "h" : "d"), extents.get(i));
      }
    }
  }

  @Test
  void shouldLeaveTheSameTraceWhenASeedIsRepeated() {
    long first = trace();
    assertEquals(first, trace());
  }

  private static long trace() {
    try (SimulatedPager pager = new SimulatedPager(11, FAULTS, 2, server(""))) {
      runWorkload(pager, 11, 100);
      return pager.fabric.system().traceHash();
    }
  }
}
