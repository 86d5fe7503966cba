package dev.weft.pvfs.tcp;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import akka.actor.testkit.typed.javadsl.TestProbe;
import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.fabric.admission.FabricSecret;
import dev.weft.hca.cm.ConnectionEvent;
import dev.weft.hca.link.Dialer;
import dev.weft.pvfs.Errno;
import dev.weft.pvfs.daemon.DaemonSnapshot;
import dev.weft.pvfs.files.FileSystemCluster;
import dev.weft.pvfs.files.PvfsException;
import dev.weft.pvfs.files.PvfsFile;
import dev.weft.pvfs.files.PvfsFileSystem;
import dev.weft.pvfs.layout.StripingWish;
import dev.weft.pvfs.manager.FileSystemLabel;
import dev.weft.pvfs.wire.Band;
import dev.weft.pvfs.wire.Caller;
import dev.weft.pvfs.wire.DaemonOp;
import dev.weft.pvfs.wire.DaemonRequest;
import dev.weft.pvfs.wire.Hello;
import dev.weft.pvfs.wire.NoEntry;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients outside of the fabric, on a manager and three daemons of one JVM. */
@Tag("slow")
@Tag("actor")
@Timeout(180)
class TcpTransportTest {
  private static final long SECOND_NS = 1_000_000_000L;
  private static final Config CLIENT = ConfigFactory.parseString("weft.pvfs.client { reconnect = 20 ms, patience = 20 s }");
  private static final TcpSettings SETTINGS = new TcpSettings("127.0.0.1:0", "", false, 16, 20 * SECOND_NS, 30 * SECOND_NS);

  @TempDir private Path directory;
  private final FileSystemCluster cluster = new FileSystemCluster(3, "");
  private FabricSecret secret;
  private TcpListener listener;

  @BeforeEach
  void listen() throws IOException {
    secret = FabricSecret.readOrMake(directory.resolve("secret"));
    listener = TcpListener.open(SETTINGS, secret, _ -> null);
    cluster.letIn(listener, listener);
    cluster.states(); // Behind that.
  }

  @AfterEach
  void close() {
    cluster.close();
    listener.close();
  }

  private TcpFileSystem connect(InetSocketAddress at) throws IOException {
    return TcpFileSystem.connect(at, secret, "manager", Caller.ROOT, CLIENT);
  }

  private static InetSocketAddress addressOf(TcpListener of) throws IOException {
    return TcpAddress.parse(of.address());
  }

  private static MemorySegment random(int bytes, long seed) {
    byte[] content = new byte[bytes];
    new Random(seed).nextBytes(content);
    return Arena.ofAuto().allocate(bytes).copyFrom(MemorySegment.ofArray(content));
  }

  private static PvfsFile open(PvfsFileSystem files, String path) throws PvfsException {
    return files.open(path, new StripingWish(0, 3, 65_536), 0644, CREATE, READ, WRITE);
  }

  private static void assertReads(MemorySegment expected, PvfsFile file) throws PvfsException {
    MemorySegment back = Arena.ofAuto().allocate(expected.byteSize() + 10);
    assertEquals(expected.byteSize(), file.read(back, 0));
    assertEquals(-1, expected.mismatch(back.asSlice(0, expected.byteSize())));
  }

  /** A daemon learns that its answer is sent when the client may have sent the next request already. */
  @Test
  void shouldKeepTheConnectionOfWhoUsesAllOfItsCredits() throws Exception {
    try (FileSystemCluster stored = new FileSystemCluster(4, "weft.pvfs.daemon.directory = \"\"", directory.resolve("stored"), FileSystemLabel.random(4));
        TcpListener tcp = TcpListener.open(SETTINGS, secret, _ -> null)) {
      stored.letIn(tcp, tcp);
      stored.states(); // Behind that.
      try (TcpFileSystem outside = TcpFileSystem.connect(addressOf(tcp), secret, "manager", Caller.ROOT, CLIENT);
          PvfsFile file = outside.files().open("/a", CREATE, READ, WRITE)) {
        MemorySegment data = random(1_600_000, 3);
        file.write(data, 0);
        List<Thread> readers = new ArrayList<>();
        for (int thread = 0; thread < 6; thread++) {
          readers.add(Thread.ofPlatform().start(() -> readEightAtATime(file)));
        }
        for (Thread reader : readers) {
          reader.join();
        }
        assertReads(data, file);
        stored.snapshot(outside.files()).daemons().forEach(daemon -> assertEquals(0, daemon.losses(), daemon::toString));
      }
    }
  }

  private static void readEightAtATime(PvfsFile file) {
    MemorySegment to = Arena.ofAuto().allocate(1_600_000);
    for (int round = 0; round < 100; round++) {
      List<CompletableFuture<Long>> reads = new ArrayList<>();
      for (long at = 0; at < to.byteSize(); at += 200_000) {
        reads.add(readAsync(file, to.asSlice(at, 200_000), at));
      }
      reads.forEach(CompletableFuture::join);
    }
  }

  private static CompletableFuture<Long> readAsync(PvfsFile file, MemorySegment to, long at) {
    try {
      return file.readAsync(to, at).toCompletableFuture();
    } catch (PvfsException refused) {
      return CompletableFuture.failedFuture(refused);
    }
  }

  @Test
  void shouldWriteAndReadWhatThoseOfTheFabricSee() throws Exception {
    MemorySegment data = random(5_000_001, 1);
    try (TcpFileSystem outside = connect(addressOf(listener)); PvfsFileSystem inside = cluster.connect(Caller.ROOT)) {
      try (PvfsFile file = open(outside.files(), "/a"); PvfsFile same = open(inside, "/a")) {
        file.write(data, 0);
        assertReads(data, file);
        assertReads(data, same);
        MemorySegment other = random(300_000, 2);
        same.write(other, 1_000_000);
        MemorySegment.copy(other, 0, data, 1_000_000, other.byteSize());
        assertReads(data, file);
      }
    }
    for (DaemonSnapshot daemon : cluster.states()) {
      daemon.clients().forEach(client -> assertEquals(0, client.underWay(), daemon::toString));
      assertEquals(0, daemon.moving() + daemon.starving(), daemon::toString);
    }
  }

  @Test
  void shouldDoAllThatThereIsToDo() throws Exception {
    try (TcpFileSystem outside = connect(addressOf(listener))) {
      PvfsFileSystem files = outside.files();
      files.mkdir("/d", 0755);
      MemorySegment data = random(400_000, 3);
      try (PvfsFile file = open(files, "/d/f")) {
        file.write(data, 0);
        file.sync();
        file.truncate(200_000);
        assertEquals(200_000, file.size());
        file.write(data.asSlice(0, 10), 1_000_000);
        assertEquals(1_000_010, file.size());
      }
      files.rename("/d/f", "/d/g");
      files.symlink("g", "/d/s");
      files.link("/d/g", "/d/h");
      assertEquals(3, files.list("/d").size());
      assertEquals("g", files.readSymlink("/d/s"));
      assertEquals(1_000_010, files.size("/d/h"));
      assertEquals(Errno.ENOTEMPTY, assertThrows(PvfsException.class, () -> files.rmdir("/d")).errno());
      for (String name : new String[] {"g", "h", "s"}) {
        files.unlink("/d/" + name);
      }
      files.rmdir("/d");
      assertEquals(Errno.ENOENT, assertThrows(PvfsException.class, () -> files.attributes("/d")).errno());
    }
  }

  @Test
  void shouldFindDaemonsThatAnotherListenerHas() throws Exception {
    FileSystemCluster other = new FileSystemCluster(3, "");
    try (TcpListener ofDaemons = TcpListener.open(SETTINGS, secret, _ -> null);
        TcpListener ofManager = TcpListener.open(SETTINGS, secret, node -> node.startsWith("io-") ? ofDaemons.address() : null)) {
      other.letIn(ofManager, ofDaemons);
      try (TcpFileSystem outside = TcpFileSystem.connect(addressOf(ofManager), secret, "manager", Caller.ROOT, CLIENT);
          PvfsFile file = open(outside.files(), "/a")) {
        MemorySegment data = random(100_000, 4);
        file.write(data, 0);
        assertReads(data, file);
      }
    } finally {
      other.close();
    }
  }

  @Test
  void shouldNotLetInWhoDoesNotKnowTheSecret() throws Exception {
    FabricSecret another = FabricSecret.readOrMake(directory.resolve("another"));
    String why = assertThrows(IOException.class, () -> TcpFileSystem.connect(addressOf(listener), another, "manager", Caller.ROOT, CLIENT)).getMessage();
    assertTrue(why.contains("it does not take the secret"), why);
    assertEquals(new TcpListener.Counts(0, 1, 0, 0), listener.counts());
  }

  @Test
  void shouldCloseWhatIsNoClientAndGoOn() throws Exception {
    try (Socket garbage = stranger()) {
      garbage.getOutputStream().write("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUser-Agent: somebody who has taken this port for another\r\n\r\n"
          .getBytes(StandardCharsets.US_ASCII));
      assertEnds(garbage);
    }
    try (Socket half = stranger()) {
      half.getOutputStream().write(new byte[63]);
    }
    await(() -> listener.counts().wrongSecret() == 1 && listener.counts().refused() == 1);
    try (TcpFileSystem outside = connect(addressOf(listener)); PvfsFile file = open(outside.files(), "/a")) {
      try (Socket long1 = letIn("io-0 pvfs-io", hello())) {
        long1.getOutputStream().write(new byte[] {-1, -1, -1, 127, 1, 2, 3});
        assertEnds(long1);
      }
      try (Socket forged = letIn("io-0 pvfs-io", hello())) {
        forged.getOutputStream().write(new byte[] {4, 0, 0, 0, 1, 2, 3, 4});
        assertEnds(forged);
      }
      file.write(random(1000, 5), 0);
      assertReads(random(1000, 5), file);
    }
  }

  @Test
  void shouldCloseWhoSaysNothing() throws Exception {
    TcpSettings impatient = new TcpSettings("127.0.0.1:0", "", false, 16, SECOND_NS / 2, 30 * SECOND_NS);
    try (TcpListener other = TcpListener.open(impatient, secret, _ -> null); Socket silent = stranger(other)) {
      assertEnds(silent);
      await(() -> other.counts().refused() == 1);
    }
  }

  /** There is none over TCP: the daemon must not try. */
  @Test
  void shouldCloseTheConnectionOfAClientThatAsksForRdma() throws Exception {
    for (Band band : new Band[] {Band.SERVER, Band.FAST, Band.CLIENT}) {
      DaemonRequest request = new DaemonRequest();
      request.op = DaemonOp.READ;
      request.band = band;
      request.replySlot = 0;
      request.id = 1;
      request.file.add(0, 4096, 0);
      request.memory.add(4096, 4096, 1);
      MemorySegment frame = Arena.ofAuto().allocate(4 + DaemonRequest.BYTES_MAX);
      int length = request.encode(frame, 4);
      frame.set(TcpFrames.INT, 0, length);
      try (Socket client = letIn("io-0 pvfs-io", new Hello(7, 4, TcpFrames.DATA_BYTES, 4, 65_536, 4096, 1).encode())) {
        client.getOutputStream().write(frame.asSlice(0, 4 + length).toArray(ValueLayout.JAVA_BYTE));
        assertEnds(client);
      }
    }
    try (PvfsFileSystem inside = cluster.connect(Caller.ROOT); PvfsFile file = open(inside, "/a")) {
      file.write(random(100_000, 6), 0);
      assertReads(random(100_000, 6), file);
    }
  }

  @Test
  void shouldWriteAgainWhatWasCutInTheMiddleOfAFrame() throws Exception {
    MemorySegment data = random(3_000_000, 7);
    try (CuttingProxy proxy = new CuttingProxy(addressOf(listener)); TcpFileSystem outside = connect(proxy.address());
        PvfsFile file = open(outside.files(), "/a")) {
      proxy.cut(3, 100_001, Long.MAX_VALUE);
      file.write(data, 0);
      assertEquals(3, proxy.wasCut.get());
      assertReads(data, file);
    }
  }

  @Test
  void shouldSendAgainWhatWasChangedOnTheWay() throws Exception {
    MemorySegment data = Arena.ofAuto().allocate(700_000).fill((byte) 0x5e);
    try (CuttingProxy proxy = new CuttingProxy(addressOf(listener)); TcpFileSystem outside = connect(proxy.address());
        PvfsFile file = open(outside.files(), "/a")) {
      proxy.flip(2, true, (byte) 0x5e);
      file.write(data, 0);
      assertEquals(0, proxy.flips.get());
      long found = cluster.states().stream().mapToLong(DaemonSnapshot::badWrites).sum();
      assertTrue(found == 1 || found == 2, () -> found + " requests"); // One may have both.
      proxy.flip(2, false, (byte) 0x5e);
      assertReads(data, file);
      assertEquals(0, proxy.flips.get());
      proxy.flip(Integer.MAX_VALUE, true, (byte) 0x5e);
      assertEquals(Errno.EIO, assertThrows(PvfsException.class, () -> file.write(data, 0)).errno());
      proxy.flip(Integer.MAX_VALUE, false, (byte) 0x5e);
      assertEquals(Errno.EIO, assertThrows(PvfsException.class, () -> file.read(Arena.ofAuto().allocate(1000), 0)).errno());
      proxy.flip(0, false, (byte) 0);
      assertReads(data, file);
    }
  }

  @Test
  void shouldDoOnceWhatIsAskedAgainBecauseTheAnswerWasCut() throws Exception {
    MemorySegment data = random(60_000, 8);
    try (CuttingProxy proxy = new CuttingProxy(addressOf(listener)); TcpFileSystem outside = connect(proxy.address());
        PvfsFile file = outside.files().open("/a", new StripingWish(0, 1, 65_536), 0644, CREATE, READ, WRITE)) {
      file.write(data, 0);
      proxy.cut(1, Long.MAX_VALUE, 1); // The connection has had more than that: its next answer is cut off, behind what was done.
      file.write(data, 60_000);
      assertEquals(1, proxy.wasCut.get());
      assertEquals(1, cluster.states().getFirst().repeated());
      MemorySegment back = Arena.ofAuto().allocate(130_000);
      assertEquals(120_000, file.read(back, 0));
      assertEquals(-1, data.mismatch(back.asSlice(60_000, 60_000)));
      outside.files().mkdir("/d", 0755);
      proxy.cut(1, Long.MAX_VALUE, 1);
      outside.files().rmdir("/d"); // ENOENT if it were done twice.
      assertEquals(2, proxy.wasCut.get());
    }
  }

  @Test
  void shouldCloseTheOldestThatHasNotShownTheSecretForOneThatIsTooMany() throws Exception {
    try (TcpListener narrow = TcpListener.open(new TcpSettings("127.0.0.1:0", "", false, 2, 50 * SECOND_NS, SECOND_NS), secret, _ -> null);
        Socket one = stranger(narrow); Socket two = stranger(narrow); Socket three = stranger(narrow)) {
      assertEnds(one);
      new TcpHandshake(secret).call(two, System.nanoTime() + 20 * SECOND_NS);
      new TcpHandshake(secret).call(three, System.nanoTime() + 20 * SECOND_NS);
      await(() -> narrow.counts().equals(new TcpListener.Counts(2, 0, 0, 1)));
    }
  }

  @Test
  void shouldTellThatAConnectionIsNotMadeWhateverTheReason() throws Exception {
    TestProbe<ConnectionEvent> events = TestProbe.create(ConnectionEvent.class, cluster.fabric.system());
    TestProbe<String> owner = TestProbe.create(String.class, cluster.fabric.system());
    try (TcpTransport transport = new TcpTransport(addressOf(listener), secret, SETTINGS)) {
      Dialer dialer = transport.dialer(-1000, null, owner.getRef(), "look", events.getRef()); // Let in, it has no buffers of that size.
      dialer.connect("io-0", "pvfs-io", hello(), "this one");
      ConnectionEvent.Rejected told = events.expectMessageClass(ConnectionEvent.Rejected.class, Duration.ofSeconds(20));
      assertEquals("this one", told.context());
      assertArrayEquals(NoEntry.UNREACHABLE.encode(), told.privateData());
      dialer.close();
    }
  }

  @Test
  void shouldNotListenWhereOtherHostsReachItUnlessToldTo() throws Exception {
    TcpSettings open = new TcpSettings("0.0.0.0:0", "", false, 2, SECOND_NS, SECOND_NS);
    String message = assertThrows(IllegalArgumentException.class, () -> TcpListener.open(open, secret, _ -> null)).getMessage();
    assertTrue(message.contains("weft.pvfs.tcp.allow-non-loopback"), message);
    TcpListener.open(new TcpSettings("0.0.0.0:0", "", true, 2, SECOND_NS, SECOND_NS), secret, _ -> null).close();
    assertThrows(IllegalArgumentException.class, () -> TcpAddress.parse("127.0.0.1:65536"));
    assertThrows(IllegalArgumentException.class, () -> TcpAddress.parse("127.0.0.1"));
  }

  private static byte[] hello() {
    return new Hello(new Random(9).nextLong(), 4, TcpFrames.DATA_BYTES, 0, 0, 0, 0).encode();
  }

  private Socket stranger() throws IOException {
    return stranger(listener);
  }

  private static Socket stranger(TcpListener to) throws IOException {
    InetSocketAddress at = addressOf(to);
    Socket socket = new Socket(at.getAddress(), at.getPort());
    socket.setSoTimeout(90_000);
    return socket;
  }

  /** A client by hand, after the handshake and the answer of the service. */
  private Socket letIn(String name, byte[] hello) throws IOException {
    Socket socket = stranger();
    long deadlineNs = System.nanoTime() + 90_000_000_000L;
    new TcpHandshake(secret).call(socket, deadlineNs);
    TcpFrames.write(socket, new TcpFrames.Call(name, hello).encode());
    byte[] answer = TcpFrames.read(socket, deadlineNs);
    assertEquals(TcpFrames.TAKEN, answer[0], () -> Arrays.toString(answer));
    socket.setSoTimeout(90_000);
    return socket;
  }

  private static void assertEnds(Socket socket) {
    try {
      byte[] some = new byte[1000];
      for (int bytes = 0; bytes >= 0;) {
        bytes = socket.getInputStream().read(some);
      }
    } catch (java.net.SocketTimeoutException open) {
      throw new AssertionError("the connection is still there", open);
    } catch (IOException reset) {
      // It is gone, too.
    }
  }

  private void await(BooleanSupplier until) {
    assertTrue(cluster.fabric.await(until, Duration.ofSeconds(90)), () -> listener.counts().toString());
  }
}
