package dev.weft.dsm.mmu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.ConfigFactory;
import dev.weft.dsm.DsmCondition;
import dev.weft.dsm.DsmLock;
import dev.weft.dsm.SharedLongs;
import dev.weft.dsm.SharingUnit;
import dev.weft.dsm.node.DsmNode;
import dev.weft.fabric.rules.Waits;
import dev.weft.hca.node.LocalFabric;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Applications in processes of their own, and a node in this one that others' threads use. */
@Tag("jvms")
class MmuTest {
  @TempDir Path temporary;
  private LocalFabric fabric;
  private final List<DsmNode> nodes = new ArrayList<>();
  private final List<ApplicationProcess> applications = new ArrayList<>();
  private MmuServer server;

  @BeforeEach
  void start() {
    start("");
  }

  private void start(String settings) {
    fabric = LocalFabric.start(ConfigFactory.parseString(settings + "\nweft.dsm.memory = 4 MiB\nweft.hca.pin-memory = false"));
    for (int i = 0; i < 2; i++) {
      nodes.add(DsmNode.join(fabric, fabric.addNode("host-" + i), "test", "host-0"));
    }
  }

  private ApplicationProcess application() throws Exception {
    if (server == null) {
      server = MmuServer.start(nodes.get(0), MmuSettings.from(fabric.config()), temporary.resolve("mmu"));
    }
    ApplicationProcess application = ApplicationProcess.java(server.directory());
    applications.add(application);
    return application;
  }

  @AfterEach
  void close() {
    if (server != null) {
      server.close();
    }
    nodes.forEach(DsmNode::close);
    fabric.close();
    applications.forEach(ApplicationProcess::close);
  }

  @Test
  void shouldReadWhatAnotherNodeWroteAndBeSeenByItWhenItLoadsAndStores() throws Exception {
    ApplicationProcess application = application();
    SharedLongs other = nodes.get(1).longs("a", 1024, SharingUnit.bytes(128));
    for (int i = 0; i < 1024; i++) {
      other.set(i, 1000 + i);
    }
    application.ok("map a 1024 128");
    assertEquals("1005", application.ask("get a 5"));
    assertEquals("2023", application.ask("get a 1023"));
    application.ok("set a 5 7");
    assertEquals(7, other.get(5));
    assertEquals(1006, other.get(6));
    other.set(5, 8);
    assertEquals("8", application.ask("get a 5"));
    application.tell("quit");
    application.expect("closed");
  }

  @Test
  void shouldLoseNoWriteWhenMinipagesAreTakenFromRunningWriters() throws Exception {
    assertNoWriteIsLost(4096, 2, false, 1_000);
  }

  @Test
  void shouldLoseNoWriteOfNeighboursOnOnePageWhileGarbageIsCollected() throws Exception {
    assertNoWriteIsLost(128, 3, true, 20);
  }

  /** The application's threads and this one increment words of their own, in the same minipages. */
  private void assertNoWriteIsLost(int minipageBytes, int writers, boolean collects, int takenMin) throws Exception {
    ApplicationProcess application = application();
    int stride = minipageBytes / 8;
    SharedLongs other = nodes.get(1).longs("a", 8L * stride, SharingUnit.bytes(minipageBytes));
    application.ok("map a " + 8 * stride + " " + minipageBytes);
    application.ok("count a " + writers + " 8 " + stride + " 0");
    if (collects) {
      application.ok("collect");
    }
    long mine = 0;
    int taken = 0;
    long[] seen = new long[8];
    long endNs = System.nanoTime() + 60_000_000_000L;
    while (taken < takenMin && System.nanoTime() < endNs) {
      int page = (int) (mine % 8);
      other.getAndAdd((page + 1L) * stride - 1, 1);
      long theirs = other.get((long) page * stride);
      taken += theirs == seen[page] ? 0 : 1;
      seen[page] = theirs;
      mine++;
      LockSupport.parkNanos(20_000);
    }
    long total = 0;
    for (String result : application.ask("stop").split(" ")) {
      String[] parts = result.split("/");
      total += Long.parseLong(parts[0]);
      assertEquals("0", parts[1], "values that a thread saw in its own words and had not written");
    }
    long sum = 0;
    long theirs = 0;
    for (int page = 0; page < 8; page++) {
      theirs += other.get((page + 1L) * stride - 1);
      for (int thread = 0; thread < writers; thread++) {
        sum += other.get((long) page * stride + thread);
      }
    }
    assertEquals(total, sum, "increments of the application");
    assertEquals(mine, theirs, "increments of the other node");
    assertTrue(taken >= takenMin, "taken only " + taken + " times");
    System.out.println("increments of the application " + total + ", of the other node " + mine + ", taken " + taken);
  }

  @Test
  void shouldGiveSeveralApplicationsOfOneNodeTheSameMemory() throws Exception {
    ApplicationProcess one = application();
    ApplicationProcess other = application();
    SharedLongs far = nodes.get(1).longs("a", 64, SharingUnit.bytes(128));
    one.ok("map a 64 128");
    other.ok("map a 64 128");
    one.ok("set a 3 30");
    assertEquals("30", other.ask("get a 3"));
    other.ok("set a 3 31");
    assertEquals("31", one.ask("get a 3"));
    assertEquals(31, far.get(3));
    one.ok("set a 4 40");
    other.ok("set a 5 50");
    assertEquals(40 + 50, far.get(4) + far.get(5));
    assertEquals("40", other.ask("get a 4"));
  }

  @Test
  void shouldKeepLocksAndBarriersAmongApplicationsAndNodes() throws Exception {
    ApplicationProcess application = application();
    SharedLongs sum = nodes.get(1).longs("sum", 1, SharingUnit.whole());
    application.ok("map sum 1 8");
    application.ok("locked sum 2 300");
    DsmLock lock = nodes.get(1).lock("sum-lock");
    for (int i = 0; i < 300; i++) {
      lock.acquire();
      sum.set(0, sum.get(0) + 1);
      lock.release();
    }
    application.ask("stop");
    assertEquals(900, sum.get(0));
    application.tell("barrier meet 2");
    nodes.get(1).barrier("meet", 2).await();
    application.expect("ok");
    lock.acquire();
    assertEquals("false", application.ask("trylock sum-lock 20"));
    assertEquals("false", application.ask("trylock sum-lock -1"));
    lock.release();
    assertEquals("true", application.ask("trylock sum-lock 20000"));
    assertEquals("MmuException: this thread has the lock \"sum-lock\" already; it is not reentrant", application.ask("lock sum-lock"));
    assertEquals("MmuException: the barrier \"meet\" of -1 parties, must be from 1 to 65536 threads that meet", application.ask("barrier meet -1"));
    assertEquals("IllegalArgumentException: a name with the character U+001B at index 0, must be printable characters", application.ask("lock \u001b"));
  }

  @Test
  void shouldWakeWhoWaitsForAConditionWhenAnApplicationSignalsItAndTheOtherWayRound() throws Exception {
    ApplicationProcess application = application();
    SharedLongs far = nodes.get(1).longs("a", 64, SharingUnit.bytes(128));
    application.ok("map a 64 128");
    DsmLock lock = nodes.get(1).lock("lock");
    DsmCondition changed = nodes.get(1).condition("changed", lock);
    assertEquals("MmuException: this thread does not have the lock \"lock\"", application.ask("signal changed lock"));
    lock.acquire();
    application.tell("bump changed lock a"); // Waits for the lock, which waiting gives.
    while (far.get(0) == 0) {
      changed.await();
    }
    lock.release();
    application.expect("ok");
    application.ok("lock lock");
    assertEquals("false", application.ask("await changed lock 1"));
    assertEquals("MmuException: to wait -1000000 ns, must be 0 or more, or -1 for ever", application.ask("await changed lock -1"));
    assertEquals("MmuException: to wait -2 ns, must be 0 or more, or -1 for ever", application.ask("acquire other -2"));
    application.tell("await changed lock 60000");
    lock.acquire();
    changed.signal();
    lock.release();
    application.expect("true");
    application.ok("unlock lock");
  }

  @Test
  void shouldBringMinipagesBeforeTheyAreTouchedWhenAskedForThem() throws Exception {
    ApplicationProcess application = application();
    SharedLongs far = nodes.get(1).longs("a", 64, SharingUnit.bytes(128));
    for (int i = 0; i < 64; i++) {
      far.set(i, i);
    }
    application.ok("map a 64 128");
    application.ok("fetch a 0 32 false");
    while (!mayRead("a", 0) || !mayRead("a", 1)) {
      Thread.sleep(1);
    }
    assertEquals("31", application.ask("get a 31"));
    far.push(32, 32);
    while (!mayRead("a", 3)) {
      Thread.sleep(1);
    }
    assertEquals("63", application.ask("get a 63"));
    application.ok("set a 63 64");
    application.ok("fetch a 63 1 true");
    assertEquals(64, far.get(63));
    assertEquals("IndexOutOfBoundsException", application.ask("fetch a 60 5 false").split(":")[0]);
  }

  private boolean mayRead(String name, int minipage) {
    return server.array(name).table().rights(minipage) != 0;
  }

  @Test
  void shouldTakeMinipagesFromAnApplicationThatIsStopped() throws Exception {
    ApplicationProcess application = application();
    SharedLongs other = nodes.get(1).longs("a", 256, SharingUnit.bytes(128));
    application.ok("map a 256 128");
    application.ok("count a 2 16 16 0");
    while (other.get(0) == 0) {
      Thread.onSpinWait();
    }
    application.signal("STOP");
    Waits.until("all its threads to be stopped", application::isStopped);
    long before = other.getAndAdd(0, 0);
    long[] all = new long[256];
    other.read(0, all, 0, 256);
    other.write(0, all, 0, 256);
    assertEquals(before, other.get(0));
    application.signal("CONT");
    while (other.get(0) == before) {
      Thread.onSpinWait();
    }
    for (String result : application.ask("stop").split(" ")) {
      assertEquals("0", result.split("/")[1]);
    }
  }

  @Test
  void shouldGoOnWhenAnApplicationIsKilledAndKeepWhatItWrote() throws Exception {
    ApplicationProcess killed = application();
    killed.ok("map a 64 128");
    killed.ok("set a 1 11");
    killed.ok("map b 256 128");
    killed.ok("lock held");
    killed.ok("count b 2 16 16 0");
    killed.close();
    SharedLongs other = nodes.get(1).longs("a", 64, SharingUnit.bytes(128));
    assertEquals(11, other.get(1));
    other.set(1, 12);
    SharedLongs words = nodes.get(1).longs("b", 256, SharingUnit.bytes(128));
    for (int i = 0; i < 256; i++) {
      words.set(i, words.get(i) + 1);
    }
    assertEquals(DsmLock.Acquired.HOLDER_LOST, nodes.get(1).lock("held").acquire());
    ApplicationProcess next = application();
    next.ok("map a 64 128");
    assertEquals("12", next.ask("get a 1"));
    while (server.applications() != 1) {
      Thread.sleep(5);
    }
  }

  @Test
  void shouldGiveLocksOfThreadsThatEndToOthersAndServeAnyNumberOfThemOneAfterTheOther() throws Exception {
    ApplicationProcess application = application();
    application.ok("leave left");
    assertEquals(Optional.of(DsmLock.Acquired.HOLDER_LOST), nodes.get(1).lock("left").tryAcquire(Duration.ofSeconds(60)));
    application.ok("threads each 300");
  }

  @Test
  void shouldCutOffAnApplicationWhoseViewIsNotThereAnyMoreAndLetTheOthersGoOn() throws Exception {
    ApplicationProcess other = application();
    ApplicationProcess tampers = application();
    SharedLongs far = nodes.get(1).longs("a", 64, SharingUnit.bytes(128));
    other.ok("map a 64 128");
    tampers.ok("map a 64 128");
    tampers.ok("lock held");
    tampers.ok("set a 1 11");
    other.ok("set a 2 12");
    tampers.ok("tamper a");
    assertEquals(23, far.getAndAdd(1, 1) + far.getAndAdd(2, 1));
    assertTrue(tampers.process().waitFor(90, TimeUnit.SECONDS), "it is not told");
    assertEquals(128 + 29, tampers.process().exitValue(), "SIGIO");
    assertEquals("13", other.ask("get a 2"));
    other.ok("set a 2 14");
    assertEquals(14, far.get(2));
    assertEquals(DsmLock.Acquired.HOLDER_LOST, nodes.get(1).lock("held").acquire());
  }

  @Test
  void shouldRefuseWhatIsNoUserFaultAndWhatIsNoRequest() throws Exception {
    ApplicationProcess other = application();
    try (UnixSocket stranger = UnixSocket.connect(server.directory().resolve(MmuWire.SOCKET_NAME))) {
      int event = LinuxCalls.eventFd();
      assertEquals("hello came with anon_inode:[eventfd], must be the process's userfaultfd",
          refusal(stranger, new MmuWire.Request(MmuWire.HELLO, MmuWire.VERSION, 0, 0, ""), event));
      LinuxCalls.close(event);
      String stranded = "process " + ProcessHandle.current().pid() + " has not said hello with its page faults";
      assertEquals(stranded, refusal(stranger, new MmuWire.Request(MmuWire.LOCK, 0, -1, 0, "lock")));
      assertEquals(stranded, refusal(stranger, new MmuWire.Request(99, 0, 0, 0, "")));
      stranger.send(MmuWire.buffer(7));
      assertEquals("a request of 7 bytes, must be 168", reply(stranger));
      for (int bytes : new int[] {169, 4096}) {
        stranger.send(MmuWire.buffer(bytes));
        assertEquals("a request of " + bytes + " bytes, must be 168", reply(stranger));
      }
    }
    other.ok("map a 64 128");
    other.ok("set a 1 1");
  }

  @Test
  void shouldRefuseNamesThatAreNotUtf8() throws Exception {
    application();
    try (UnixSocket stranger = UnixSocket.connect(server.directory().resolve(MmuWire.SOCKET_NAME))) {
      for (int[] at : new int[][] {{32, 40}, {36, 104}}) { // The object's name, and the lock's.
        for (int[] wrong : new int[][] {{'a', 0xff, 0xfe}, {'a', 0xfe, 0xff}, {'a', 0xc0, 0xaf}, {'a', 0xed, 0xa0, 0x80}, {'a', 0xe2, 0x82}}) {
          MemorySegment request = MmuWire.buffer(MmuWire.REQUEST_BYTES);
          new MmuWire.Request(MmuWire.SIGNAL, 0, 0, 0, "name", "lock").encode(request);
          request.set(ValueLayout.JAVA_INT, at[0], wrong.length);
          for (int i = 0; i < wrong.length; i++) {
            request.set(ValueLayout.JAVA_BYTE, at[1] + i, (byte) wrong[i]);
          }
          stranger.send(request);
          assertEquals("a name that is not UTF-8 at byte 1, must be printable characters in UTF-8", reply(stranger, MmuWire.WRONG_VALUE));
        }
      }
    }
  }

  private static String refusal(UnixSocket socket, MmuWire.Request request, int... files) {
    MemorySegment bytes = MmuWire.buffer(MmuWire.REQUEST_BYTES);
    request.encode(bytes);
    socket.send(bytes, files);
    return reply(socket);
  }

  private static String reply(UnixSocket socket) {
    return reply(socket, MmuWire.REFUSED);
  }

  private static String reply(UnixSocket socket, int status) {
    MemorySegment bytes = MmuWire.buffer(MmuWire.REPLY_BYTES);
    assertEquals(MmuWire.REPLY_BYTES, socket.receive(bytes));
    MmuWire.Reply reply = MmuWire.Reply.decode(bytes);
    assertEquals(status, reply.status());
    return reply.text();
  }

  @Test
  void shouldEvictMinipagesWhenPageFramesAreUsedUp() throws Exception {
    restart("weft.dsm.mmu.frames = 64 KiB");
    ApplicationProcess application = application();
    application.ok("map a 1024 128");
    for (int i = 0; i < 64; i++) {
      application.ok("set a " + i * 16 + " " + i);
    }
    assertEquals(16, server.frames());
    assertEquals(48, server.evictions());
    for (int i = 0; i < 64; i++) {
      assertEquals("" + i, application.ask("get a " + i * 16));
    }
    SharedLongs other = nodes.get(1).longs("a", 1024, SharingUnit.bytes(128));
    for (int i = 0; i < 64; i++) {
      assertEquals(i, other.get(i * 16));
    }
  }

  @Test
  void shouldSayWhyItRefusesAnApplicationTooMany() throws Exception {
    restart("weft.dsm.mmu.applications = 1");
    application();
    expectRefusal("this node serves weft.dsm.mmu.applications = 1 processes already");
  }

  @Test
  void shouldSayWhyItRefusesAConnectionTooMany() throws Exception {
    restart("weft.dsm.mmu.connections = 2");
    application().ok("lock one");
    expectRefusal("there are weft.dsm.mmu.connections = 2 already");
  }

  @Test
  void shouldConnectAThreadAnewAfterItsConnectionWasRefused() throws Exception {
    restart("weft.dsm.mmu.connections = 3");
    ApplicationProcess application = application();
    ApplicationProcess other = application();
    other.ok("lock one");
    String refusal = "MmuException: there are weft.dsm.mmu.connections = 3 already";
    assertEquals(refusal, application.ask("lock two"));
    assertEquals(refusal, application.ask("lock two"));
    other.ok("unlock one");
    other.tell("quit");
    other.expect("closed");
    String answer = application.ask("lock two");
    while (answer.equals(refusal)) { // Until the node has seen that the other one is gone.
      answer = application.ask("lock two");
    }
    assertEquals("ok", answer);
    application.ok("unlock two");
  }

  private void restart(String settings) {
    close();
    nodes.clear();
    server = null;
    start(settings);
  }

  private void expectRefusal(String why) throws Exception {
    try (ApplicationProcess other = ApplicationProcess.of(ApplicationProcess.jvm(ApplicationMain.class, server.directory().toString()))) {
      other.expect("refused: " + why);
    }
  }

  @Test
  void shouldBeAnErrorInTheApplicationWhenItUsesAnArrayThatWasFreed() throws Exception {
    ApplicationProcess application = application();
    application.ok("map a 64 128");
    application.ok("set a 1 1");
    SharedLongs other = nodes.get(1).longs("a", 64, SharingUnit.bytes(128));
    assertEquals(1, other.get(1));
    nodes.get(1).free("a");
    String seen = application.ask("get a 1");
    while (seen.equals("1") || seen.equals("0")) { // The pages go soon.
      Thread.sleep(5);
      seen = application.ask("get a 1");
    }
    assertTrue(seen.startsWith("InternalError"), seen);
    assertEquals("the array \"a\" was freed", application.ask("why"));
    application.ok("map a 64 128"); // Another array of that name.
    assertEquals("0", application.ask("get a 1"));
    application.ok("set a 1 2");
    assertEquals(2, nodes.get(1).longs("a", 64, SharingUnit.bytes(128)).get(1));
  }

  @Test
  void shouldBeAnErrorInTheApplicationWhenTheOnlyCopyIsLostWithANode() throws Exception {
    ApplicationProcess application = application();
    application.ok("map a 64 128");
    application.ok("set a 1 1"); // Its home is node 0, which does not end.
    SharedLongs other = nodes.get(1).longs("a", 64, SharingUnit.bytes(128));
    other.set(1, 2);
    fabric.closeNode("host-1");
    String seen = application.ask("get a 1");
    assertTrue(seen.startsWith("InternalError"), seen);
    assertEquals("the only copy of elements 0 to 15 of \"a\" was on a node that is lost", application.ask("why"));
    assertEquals("0", application.ask("get a 17"));
    nodes.remove(1);
  }

  @Test
  void shouldRefuseThreadsOfTheNodesOwnJvmWhatApplicationsHaveMapped() throws Exception {
    ApplicationProcess application = application();
    application.ok("map a 64 128");
    IllegalStateException refused = assertThrows(IllegalStateException.class, () -> nodes.get(0).longs("a", 64, SharingUnit.bytes(128)));
    assertEquals("this node serves \"a\" to applications by page protection; threads of its JVM must use another node for it", refused.getMessage());
    nodes.get(0).longs("b", 64, SharingUnit.bytes(128));
    assertEquals("MmuException: threads of this JVM use \"b\" through this node already; applications must reach it through another node",
        application.ask("map b 64 128"));
    assertEquals("MmuException: \"a\" is longs of length 64 in minipages of 128 bytes, and was asked for as longs of length 65 in minipages of 128 bytes",
        application.ask("map a 65 128"));
  }

  @Test
  void shouldEndTheApplicationWhenItsNodeIsKilledWhileAThreadStalls() throws Exception {
    Path directory = temporary.resolve("other");
    try (ApplicationProcess node = ApplicationProcess.of(ApplicationProcess.jvm(NodeMain.class, directory.toString()))) {
      node.await("serves");
      ApplicationProcess application = ApplicationProcess.java(directory);
      applications.add(application);
      application.ok("map a 64 128");
      application.ok("set a 1 1");
      node.signal("STOP");
      application.tell("get a 63"); // Its minipage is not there: this stalls.
      Thread.sleep(50);
      node.process().destroyForcibly();
      assertTrue(application.process().waitFor(90, TimeUnit.SECONDS), "it hangs");
      assertEquals(128 + 29, application.process().exitValue(), "SIGIO");
    }
  }

  @Test
  void shouldEndAnApplicationThatIsBusyBySigioWhenItsNodeEndsInAnOrderlyWay() throws Exception {
    ApplicationProcess application = application();
    application.ok("map a 64 128");
    application.ok("count a 2 4 16 0");
    server.close();
    assertTrue(application.process().waitFor(90, TimeUnit.SECONDS), "it is not told");
    assertEquals(128 + 29, application.process().exitValue(), "SIGIO");
  }

  @Test
  void shouldSayWhatIsMissingWhenNobodyServes() throws Exception {
    try (ApplicationProcess lonely = ApplicationProcess.of(ApplicationProcess.jvm(ApplicationMain.class, temporary.toString()))) {
      lonely.expect("refused: no node serves applications at " + temporary + "/weft-dsm (ENOENT, it does not exist); 'weft dsm serve' does");
    }
  }
}
