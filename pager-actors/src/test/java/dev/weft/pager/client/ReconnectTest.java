package dev.weft.pager.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.link.LinkFaults;
import dev.weft.pager.BlockDevice;
import dev.weft.pager.Errno;
import dev.weft.pager.PagerSettings;
import dev.weft.pager.server.MemoryServer;
import dev.weft.pager.server.MemoryServerSnapshot;
import dev.weft.pager.server.ServerSettings;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that is silent for longer than any retry and lives; one that comes back as another; one that is replaced. */
@Tag("slow")
@Tag("simulation")
@Timeout(value = 30, unit = TimeUnit.SECONDS)
class ReconnectTest {
  private static final long SECOND = SimulatedPager.SECOND;
  private static final int BLOCK = 4096;
  private static final ServerSettings SERVER = server("");

  private static ServerSettings server(String more) {
    return SimulatedPager.serverSettings("memory = 8 MiB, clients-max = 4, credits = 16\n" + more);
  }

  private static PagerSettings client(String more) {
    return SimulatedPager.clientSettings("pool-size = 512 KiB, credits = 8, request-timeout = 2 s\n" + more);
  }

  private static PagerDevice open(SimulatedPager pager, PagerSettings settings) {
    List<String> refused = new ArrayList<>();
    PagerDevice device = pager.open(pager.addNode("c"), "c", 1 << 20, settings, refused);
    assertNotNull(device, () -> "not opened: " + refused);
    return device;
  }

  private static List<AreaState> states(PagerDevice device) {
    return device.areaStatus().stream().map(AreaStatus::state).toList();
  }

  /** Writes a block of one value; what came of it, as far as it has ended. */
  private static int[] write(PagerDevice device, long offset, int bytes, int value) {
    int[] outcome = {-1};
    BlockDevice.Buffer buffer = device.tryAcquire(bytes, null);
    buffer.segment().fill((byte) value);
    device.write(offset, buffer, false, errno -> {
      outcome[0] = errno;
      buffer.release();
    });
    return outcome;
  }

  private static int await(SimulatedPager pager, int[] outcome) {
    assertTrue(pager.fabric.system().runUntil(() -> outcome[0] >= 0, 60 * SECOND), "a request does not end");
    return outcome[0];
  }

  private static int writeAndWait(SimulatedPager pager, PagerDevice device, long offset, int value) {
    return await(pager, write(device, offset, BLOCK, value));
  }

  /** The bytes of a block, or null with an error. */
  private static byte[] read(SimulatedPager pager, PagerDevice device, long offset) {
    int[] outcome = {-1};
    BlockDevice.Buffer buffer = device.tryAcquire(BLOCK, null);
    device.read(offset, buffer, errno -> outcome[0] = errno);
    int errno = await(pager, outcome);
    byte[] bytes = buffer.segment().toArray(ValueLayout.JAVA_BYTE);
    buffer.release();
    return errno == Errno.OK ? bytes : null;
  }

  private static byte[] block(int value) {
    byte[] bytes = new byte[BLOCK];
    Arrays.fill(bytes, (byte) value);
    return bytes;
  }

  private static int flush(SimulatedPager pager, PagerDevice device) {
    int[] outcome = {-1};
    device.flush(errno -> outcome[0] = errno);
    return await(pager, outcome);
  }

  /** The node's connection manager refuses new connections by then, so that no server can be told by name. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldEndAllRequestsWhenTheNodeOfTheClientIsClosed(boolean crashes) {
    try (SimulatedPager pager = new SimulatedPager(1, LinkFaults.NONE, 2, SERVER)) {
      PagerDevice device = open(pager, client(""));
      assertEquals(Errno.OK, writeAndWait(pager, device, 0, 1));
      pager.fabric.system().pause("/user/server0");
      int[] outcome = write(device, 0, BLOCK, 2);
      pager.fabric.system().runFor(SECOND / 10);
      assertEquals(-1, outcome[0], "it waits for its server");
      if (crashes) {
        pager.fabric.crashNode("c");
      } else {
        pager.fabric.closeNode("c");
      }
      assertEquals(Errno.ESHUTDOWN, await(pager, outcome));
      assertEquals(Errno.ESHUTDOWN, writeAndWait(pager, device, 0, 3), "the device knows that it is closed");
    }
  }

  /** Short writes go with their requests, long ones are read by the server; both wait, and so does what comes meanwhile. */
  @ParameterizedTest
  @ValueSource(ints = {4096, 65_536})
  void shouldGoOnWhereItWasWhenAServerWasSilentForLongerThanAnyRetry(int bytes) {
    try (SimulatedPager pager = new SimulatedPager(1, LinkFaults.NONE, 2, SERVER)) {
      PagerDevice device = open(pager, client("reconnect-wait = 60 s"));
      long second = device.areas().start(1);
      assertEquals(Errno.OK, writeAndWait(pager, device, second, 1));
      pager.fabric.system().pause("/user/server1");
      int[] before = write(device, second + (128 << 10), bytes, 2);
      pager.fabric.system().runFor(20 * SECOND);
      assertEquals(List.of(AreaState.READY, AreaState.DEGRADED), states(device));
      int[] meanwhile = write(device, second + (512 << 10), bytes, 3);
      assertEquals(Errno.OK, writeAndWait(pager, device, 0, 4), "the other area is not concerned");
      assertEquals(-1, before[0], "nothing is over yet");
      assertEquals(-1, meanwhile[0]);
      pager.fabric.system().resume("/user/server1");
      assertEquals(Errno.OK, await(pager, before));
      assertEquals(Errno.OK, await(pager, meanwhile));
      assertEquals(List.of(AreaState.READY, AreaState.READY), states(device));
      assertArrayEquals(block(1), read(pager, device, second));
      assertArrayEquals(block(2), read(pager, device, second + (128 << 10)));
      assertArrayEquals(block(3), read(pager, device, second + (512 << 10)));
      assertEquals(Errno.OK, flush(pager, device), "nothing is lost");
      PagerSnapshot.Server seen = pager.inspect(device).servers().get(1);
      assertTrue(seen.losses() > 0 && seen.creditsFree() == seen.creditsMax(), seen.toString());
    }
  }

  @Test
  void shouldAnswerErrorsAfterTheWaitAndStillGetTheAreaBack() {
    try (SimulatedPager pager = new SimulatedPager(2, LinkFaults.NONE, 2, SERVER)) {
      PagerDevice device = open(pager, client("reconnect-wait = 3 s"));
      long second = device.areas().start(1);
      assertEquals(Errno.OK, writeAndWait(pager, device, second, 1));
      pager.fabric.system().pause("/user/server1");
      assertEquals(Errno.EIO, writeAndWait(pager, device, second + BLOCK, 2), "it has waited long enough");
      assertEquals(AreaState.LOST, states(device).get(1));
      assertEquals(Errno.EIO, flush(pager, device), "what was acknowledged may be lost");
      assertNull(read(pager, device, second));
      assertTrue(!device.areaStatus().get(1).isGone(), "it may come back");
      pager.fabric.system().resume("/user/server1");
      assertTrue(pager.fabric.system().runUntil(() -> states(device).get(1) == AreaState.READY, 30 * SECOND), device.areaStatus()::toString);
      assertArrayEquals(block(1), read(pager, device, second));
      assertEquals(Errno.OK, flush(pager, device));
    }
  }

  @Test
  void shouldNeverServeAnotherIncarnationAsTheOneThatHeldTheData() {
    try (SimulatedPager pager = new SimulatedPager(3, LinkFaults.NONE, 1, SERVER)) {
      PagerDevice device = open(pager, client("reconnect-wait = 5 s"));
      assertEquals(Errno.OK, writeAndWait(pager, device, 0, 1));
      pager.fabric.crashNode("server0");
      pager.fabric.loseNode("server0");
      MemoryServer.start(pager.fabric.addNode("server0"), MemoryServer.SERVICE, SERVER);
      pager.fabric.system().runFor(60 * SECOND);
      assertNull(read(pager, device, 0));
      assertEquals(AreaState.LOST, states(device).getFirst());
      assertTrue(device.areaStatus().getFirst().isGone());
      assertEquals(Errno.EIO, flush(pager, device));
    }
  }

  /** The node stays: only the server is another, and it is asked for an area that it has never lent. */
  @Test
  void shouldSayThatAServerWhichStartedAnewHoldsNothing() {
    try (SimulatedPager pager = new SimulatedPager(4, LinkFaults.NONE, 1, SERVER)) {
      PagerDevice device = open(pager, client("reconnect-wait = 5 s"));
      assertEquals(Errno.OK, writeAndWait(pager, device, 0, 1));
      pager.fabric.link("server0").setPartitioned(true);
      pager.servers.getFirst().stop();
      pager.fabric.system().runFor(SECOND);
      assertTrue(device.areaStatus().getFirst().isGone(), device.areaStatus()::toString);
      assertNull(read(pager, device, 0));
    }
  }

  @Test
  void shouldGiveAnAreaUpWhoseClientDoesNotComeBack() {
    try (SimulatedPager pager = new SimulatedPager(5, LinkFaults.NONE, 1, server("keep-time = 20 s"))) {
      open(pager, client(""));
      MemoryServer server = pager.servers.getFirst();
      pager.fabric.link("c").setPartitioned(true);
      pager.fabric.system().pause("/user/c");
      long free = pager.inspect(server).freeBytes();
      assertEquals(7 << 20, free);
      pager.fabric.loseNode("c");
      pager.fabric.system().runFor(SECOND);
      assertEquals(8 << 20, pager.inspect(server).freeBytes(), "its node has left");
    }
  }

  @Test
  void shouldTellAServerThatItDoesNotReachThatAnAreaIsNotNeededAnyMore() {
    try (SimulatedPager pager = new SimulatedPager(6, LinkFaults.NONE, 2, SERVER)) {
      PagerDevice device = open(pager, client("reconnect-wait = 1 s"));
      assertEquals(Errno.OK, writeAndWait(pager, device, device.areas().start(1), 1));
      pager.fabric.system().pause("/user/server1");
      assertEquals(Errno.EIO, writeAndWait(pager, device, device.areas().start(1), 2));
      device.close();
      pager.fabric.system().runFor(SECOND);
      pager.fabric.system().resume("/user/server1");
      pager.fabric.system().runFor(20 * SECOND);
      MemoryServerSnapshot server = pager.inspect(pager.servers.get(1));
      assertEquals(8 << 20, server.freeBytes(), server::toString);
      assertEquals(0, server.keptAreas());
    }
  }

  @Test
  void shouldPutZerosInThePlaceOfALostAreaAndSayWhichBytesTheyAre() {
    try (SimulatedPager pager = new SimulatedPager(7, LinkFaults.NONE, 2, SERVER)) {
      PagerDevice device = open(pager, client("reconnect-wait = 1 s"));
      long second = device.areas().start(1);
      assertEquals(Errno.OK, writeAndWait(pager, device, 0, 1));
      assertEquals(Errno.OK, writeAndWait(pager, device, second, 2));
      MemoryServer spare = MemoryServer.start(pager.addNode("spare"), MemoryServer.SERVICE, SERVER);
      assertEquals("failed: memory server pager of node server1: its area is ready, only a lost one is replaced", replace(pager, device, 1));
      pager.fabric.system().pause("/user/server1");
      assertEquals(Errno.EIO, writeAndWait(pager, device, second, 3));
      assertEquals(Errno.EIO, flush(pager, device));
      assertEquals("bytes " + second + "+" + (1 << 20), replace(pager, device, 1));
      assertEquals(List.of(AreaState.READY, AreaState.READY), states(device));
      assertEquals("spare", device.areaStatus().get(1).node());
      assertArrayEquals(block(0), read(pager, device, second));
      assertArrayEquals(block(1), read(pager, device, 0));
      assertEquals(Errno.OK, writeAndWait(pager, device, second, 4));
      pager.fabric.system().resume("/user/server1");
      pager.fabric.system().runFor(30 * SECOND);
      assertArrayEquals(block(4), read(pager, device, second), "the old server is not asked any more");
      assertEquals(8 << 20, pager.inspect(pager.servers.get(1)).freeBytes(), "and its area is free");
      assertEquals(7 << 20, pager.inspect(spare).freeBytes());
    }
  }

  @Test
  void shouldChangeNothingWhenThereIsNobodyToReplaceALostAreaBy() {
    try (SimulatedPager pager = new SimulatedPager(8, LinkFaults.NONE, 1, SERVER)) {
      PagerDevice device = open(pager, client("reconnect-wait = 1 s"));
      assertEquals(Errno.OK, writeAndWait(pager, device, 0, 1));
      pager.fabric.system().pause("/user/server0");
      assertEquals(Errno.EIO, writeAndWait(pager, device, 0, 2));
      assertTrue(replace(pager, device, 0).startsWith("failed: memory server pager of node spare: connection refused: UNKNOWN_NODE"));
      pager.fabric.system().resume("/user/server0");
      assertTrue(pager.fabric.system().runUntil(() -> states(device).getFirst() == AreaState.READY, 30 * SECOND));
      byte[] found = read(pager, device, 0);
      assertTrue(Arrays.equals(block(1), found) || Arrays.equals(block(2), found), "the write that failed may have happened");
    }
  }

  private static String replace(SimulatedPager pager, PagerDevice device, int area) {
    List<String> said = new ArrayList<>();
    device.replace(area, new ServerSpec("spare", MemoryServer.SERVICE, 1 << 20), new PagerDevice.ReplaceListener() {
      @Override
      public void onReplaced(long start, long bytes) {
        said.add("bytes " + start + "+" + bytes);
      }

      @Override
      public void onFailed(String reason) {
        said.add("failed: " + reason);
      }
    });
    assertTrue(pager.fabric.system().runUntil(() -> !said.isEmpty(), 60 * SECOND));
    return said.getFirst();
  }

  /** Under load, connections break again and again: every byte is what was written last, and no request fails that nothing overlaps. */
  @ParameterizedTest
  @ValueSource(strings = {"", "store = staged, staging-slots = 2", "inline-write = 0", "registration = unpinned, resident-memory = 96 KiB"})
  void shouldKeepEveryByteWhenConnectionsBreakUnderLoad(String store) {
    for (long seed = 30; seed < 33; seed++) {
      try (SimulatedPager pager = new SimulatedPager(seed, new LinkFaults(0.005, 0.05, 0.2, 0, 50_000), 2, server(store))) {
        PagerDevice device = open(pager, client(""));
        PagerWorkload workload = new PagerWorkload(device, new Random(seed), seed);
        workload.start(400, 12);
        Random random = new Random(seed);
        while (!workload.isDone()) {
          assertTrue(pager.fabric.system().nowNs() < 600 * SECOND, "seed " + seed + ": " + workload);
          pager.fabric.system().runFor(20_000 + random.nextInt(2_000_000));
          device.dropConnection(random.nextInt(2));
        }
        assertNull(workload.problem(), "seed " + seed);
        assertEquals(0, workload.errors(), "seed " + seed);
        pager.fabric.system().runFor(5 * SECOND);
        workload.readAll(pager);
        assertNull(workload.problem(), "seed " + seed);
        assertTrue(pager.inspect(device).servers().stream().allMatch(server -> server.losses() > 1), "seed " + seed);
        assertEquals(Errno.OK, flush(pager, device));
      }
    }
  }

  @Test
  void shouldNotTouchABufferThatWasGivenBackWhenAConnectionBroke() {
    try (SimulatedPager pager = new SimulatedPager(9, LinkFaults.NONE, 1, SERVER)) {
      PagerDevice device = open(pager, client("reconnect-wait = 0 s"));
      BlockDevice.Buffer buffer = device.tryAcquire(65_536, null);
      int[] outcome = {-1};
      device.read(0, buffer, errno -> outcome[0] = errno);
      pager.fabric.system().runFor(3_000); // The request is on its way.
      device.dropConnection(0);
      assertEquals(Errno.EIO, await(pager, outcome), "nothing is to wait");
      buffer.segment().fill((byte) 7);
      MemorySegment before = MemorySegment.ofArray(buffer.segment().toArray(ValueLayout.JAVA_BYTE));
      pager.fabric.system().runFor(5 * SECOND);
      assertEquals(-1, buffer.segment().mismatch(before));
      buffer.release();
      assertEquals(AreaState.READY, states(device).getFirst());
    }
  }
}
