package dev.weft.tripwire.file;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weft.hca.node.LocalFabric;
import dev.weft.tripwire.connect.Callee;
import dev.weft.tripwire.connect.Caller;
import dev.weft.tripwire.device.NicDevice;
import dev.weft.tripwire.nic.Descriptor;
import dev.weft.tripwire.nic.Endpoint;
import dev.weft.tripwire.nic.Nic;
import dev.weft.tripwire.nic.NicSnapshot;
import dev.weft.tripwire.nic.Rights;
import dev.weft.tripwire.nic.Status;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients and a server with a real directory, in real time. */
@Tag("slow")
@Tag("actor")
class FileServerTest {
  private static final long SECOND = 1_000_000_000L;

  @TempDir private Path directory;
  private final LocalFabric fabric = LocalFabric.start(ConfigFactory.empty());
  private final Nic near = NicDevice.start(fabric, fabric.addNode("near"));
  private final Nic far = NicDevice.start(fabric, fabric.addNode("far"));
  private FileServer server;

  private Config config(String settings) {
    return ConfigFactory.parseString(settings).withFallback(ConfigFactory.load());
  }

  private void serve(String settings) throws IOException {
    server = FileServer.start(far, config(settings), directory);
  }

  private FileClient client() throws FileException {
    return FileClient.connect(near, "far", config(""));
  }

  @AfterEach
  void close() {
    if (server != null) {
      server.close();
    }
    fabric.close();
  }

  private void until(BooleanSupplier condition, String what) {
    assertTrue(fabric.help(condition, 90 * SECOND), what);
  }

  @Test
  void shouldEndASessionOnlyWhenTheNicRefuses() throws IOException {
    byte[] mailbox = near.export(Arena.ofAuto().allocate(1024, 8)).descriptor(Rights.ALL).toBytes();
    byte[] call = ByteBuffer.allocate(Endpoint.MESSAGE_LENGTH).putInt(0x43414c4c).putInt(0).put(mailbox).array();
    Callee callee = Callee.of(far, new Endpoint.Message(near.lid(), 1, call, Status.OK));
    FileService service = new FileService(new ExportedRoot(directory), 1, 16);
    try (FileSession session = new FileSession(far, FileSettings.from(config("")), service, far.eventQueue(), callee, far.node().context()
        .clock().nowNs())) {
      far.close();
      assertTrue(session.isUnheard(), "is asked where nothing catches what the NIC throws");
      session.step(0);
      assertTrue(session.isOver());
    }
  }

  private static MemorySegment random(long seed, int bytes) {
    byte[] data = new byte[bytes];
    new SplittableRandom(seed).nextBytes(data);
    MemorySegment segment = Arena.ofAuto().allocate(bytes);
    MemorySegment.copy(MemorySegment.ofArray(data), 0, segment, 0, bytes);
    return segment;
  }

  private static void put(FileClient client, String name, MemorySegment data) throws FileException {
    FileHandle file = client.create(client.root(), name).handle();
    long verifier = 0;
    for (long at = 0; at < data.byteSize(); at += client.transferMaxBytes()) {
      int count = (int) Math.min(client.transferMaxBytes(), data.byteSize() - at);
      FileClient.Written written = client.write(file, at, data, at, count);
      assertEquals(count, written.count());
      verifier = written.verifier();
    }
    assertEquals(verifier, client.commit(file));
  }

  private static void assertSame(FileClient client, String name, MemorySegment data) throws FileException {
    FileClient.Found found = client.lookup(client.root(), name);
    assertEquals(data.byteSize(), found.attributes().sizeBytes());
    MemorySegment part = Arena.ofAuto().allocate(client.transferMaxBytes());
    long at = 0;
    int got = client.read(found.handle(), 0, part, client.transferMaxBytes());
    while (got > 0) {
      assertEquals(-1, part.asSlice(0, got).mismatch(data.asSlice(at, got)), "at " + at);
      at += got;
      got = client.read(found.handle(), at, part, client.transferMaxBytes());
    }
    assertEquals(data.byteSize(), at);
  }

  @Test
  void shouldMoveFilesBothWays() throws IOException {
    serve("");
    MemorySegment data = random(1, 1_000_000);
    try (FileClient client = client()) {
      put(client, "file", data);
      assertArrayEquals(data.toArray(ValueLayout.JAVA_BYTE), Files.readAllBytes(directory.resolve("file")));
      assertSame(client, "file", data);
      Files.createDirectory(directory.resolve("sub"));
      FileClient.Page page = client.readdir(client.root(), "");
      assertTrue(page.isLast());
      assertEquals(List.of(new FileClient.Entry("file", false, true), new FileClient.Entry("sub", true, false)), page.entries());
      client.remove(client.root(), "file");
      assertFalse(Files.exists(directory.resolve("file")));
    }
    until(() -> server.sessions() == 0, "the server was told that the client has gone");
  }

  @Test
  void shouldServeOneClientAfterTheOther() throws IOException {
    serve("");
    MemorySegment data = random(4, 300_000);
    try (FileClient client = client()) {
      put(client, "file", data);
    }
    for (int i = 0; i < 5; i++) {
      try (FileClient client = client()) {
        assertSame(client, "file", data);
      }
    }
  }

  @Test
  void shouldTellErrorsByTheirType() throws IOException {
    serve("");
    try (FileClient client = client()) {
      assertEquals(FileStatus.NO_ENTRY, assertThrows(FileException.class, () -> client.lookup(client.root(), "none")).status());
      assertEquals(FileStatus.ACCESS, assertThrows(FileException.class, () -> client.lookup(client.root(), "..")).status());
      assertEquals(FileStatus.STALE, assertThrows(FileException.class, () -> client.getattr(new FileHandle(1, 2, 3))).status());
      assertEquals(FileStatus.NAME_TOO_LONG,
          assertThrows(FileException.class, () -> client.create(client.root(), "x".repeat(256))).status());
      MemorySegment small = Arena.ofAuto().allocate(10);
      assertEquals(FileStatus.INVALID, assertThrows(FileException.class, () -> client.read(client.root(), 0, small, 11)).status());
      assertTrue(client.getattr(client.root()).isDirectory(), "and goes on");
    }
    assertEquals(FileStatus.DISCONNECTED,
        assertThrows(FileException.class, () -> FileClient.connect(far, "near", config(""))).status());
    assertEquals(FileStatus.DISCONNECTED,
        assertThrows(FileException.class, () -> FileClient.connect(far, "nobody", config(""))).status());
  }

  @Test
  void shouldServeManyClientsAtOnce() throws IOException, InterruptedException {
    serve("");
    Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      int id = i;
      threads.add(Thread.ofPlatform().start(() -> {
        try (FileClient client = client()) {
          MemorySegment data = random(id, 200_000 + id * 7777);
          put(client, "file-" + id, data);
          for (int round = 0; round < 3; round++) {
            assertSame(client, "file-" + id, data);
          }
        } catch (Exception | AssertionError failed) {
          failures.add(failed);
        }
      }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertEquals(List.of(), List.copyOf(failures));
    until(() -> server.sessions() == 0, "all have gone");
  }

  private boolean connects() {
    try {
      client().close();
      return true;
    } catch (FileException busy) {
      assertEquals(FileStatus.BUSY, busy.status());
      return false;
    }
  }

  /** Not a condition of {@code help}, which must not wait itself. */
  private void connectsAtLast() {
    long endNs = System.nanoTime() + 90_000_000_000L;
    while (!connects()) {
      assertTrue(System.nanoTime() - endNs < 0, "its session has not ended");
    }
  }

  /** To map it, the server's only thread would wait for that host. */
  @Test
  void shouldNotWaitForMemoryOfAHostThatDoesNotCall() throws IOException {
    serve("weft.tripwire.file { sessions-max = 1, lease = 60 s, call-timeout = 60 s }");
    Nic third = NicDevice.start(fabric, fabric.addNode("third"));
    until(() -> third.lid() != 0, "it is on the fabric");
    near.reach("far");
    Endpoint endpoint = near.endpoint(0);
    Descriptor foreign = third.export(Arena.ofAuto().allocate(1024, 8)).descriptor(Rights.ALL);
    int port = config("").getInt("weft.tripwire.file.port");
    byte[] call = ByteBuffer.allocate(Endpoint.MESSAGE_LENGTH).putInt(0x43414c4c).putInt(0).put(foreign.toBytes()).array();
    assertTrue(endpoint.send(far.lid(), port, call));
    client().close(); // There is room for one.
    Descriptor own = near.export(Arena.ofAuto().allocate(1024, 8)).descriptor(Rights.ALL);
    for (Greeting.Client greeting : List.of(new Greeting.Client(own, foreign), new Greeting.Client(foreign, own))) {
      until(() -> server.sessions() == 0, "it was told that the last client has gone");
      try (Caller caller = new Caller(near, endpoint, far.lid(), port, greeting.toBytes())) {
        until(() -> caller.step() != Caller.State.CALLING, "it was asked what it wants");
        connectsAtLast();
        assertEquals(Caller.State.WAITING, caller.step());
      }
    }
  }

  @Test
  void shouldTellAClientTooManySo() throws IOException {
    serve("weft.tripwire.file.sessions-max = 1");
    try (FileClient first = client()) {
      assertTrue(first.getattr(first.root()).isDirectory());
      assertEquals(FileStatus.BUSY, assertThrows(FileException.class, this::client).status());
    }
    until(() -> server.sessions() == 0, "the first has gone");
    client().close();
  }

  private static List<Integer> held(Nic nic) {
    NicSnapshot now = nic.inspect();
    return List.of(now.apertures().size(), now.mappings().size(), now.endpoints().size(), now.tripwires());
  }

  @Test
  void shouldHoldNothingOfClientsThatWereKilled() throws IOException {
    serve("weft.tripwire.file.lease = 2 s");
    List<Integer> nearBefore = held(near);
    List<Integer> farBefore = held(far);
    MemorySegment data = random(5, 100_000);
    for (int i = 0; i < 5; i++) {
      FileClient client = client();
      put(client, "file-" + i, data);
      client.abandon();
    }
    assertEquals(nearBefore, held(near));
    until(() -> server.sessions() == 0, "the leases have ended");
    assertEquals(farBefore, held(far));
  }

  @Test
  void shouldConnectAnewAfterTheLease() throws IOException {
    serve("weft.tripwire.file.lease = 1 s");
    Files.writeString(directory.resolve("file"), "12345");
    try (FileClient client = client()) {
      FileHandle file = client.lookup(client.root(), "file").handle();
      until(() -> server.sessions() == 0, "the lease has ended");
      assertEquals(5, client.getattr(file).sizeBytes(), "the handle is as good as before");
    }
  }

  @Test
  void shouldTellThatTheServerHasGone() throws IOException {
    serve("");
    try (FileClient client = client()) {
      FileHandle root = client.root();
      server.close();
      FileException gone = assertThrows(FileException.class, () -> client.getattr(root));
      assertEquals(FileStatus.DISCONNECTED, gone.status());
      assertEquals(FileStatus.DISCONNECTED, assertThrows(FileException.class, () -> client.getattr(root)).status());
    }
  }
}
