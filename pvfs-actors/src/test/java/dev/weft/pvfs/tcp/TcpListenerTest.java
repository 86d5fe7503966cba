package dev.weft.pvfs.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import akka.actor.testkit.typed.javadsl.TestProbe;
import dev.weft.fabric.admission.FabricSecret;
import dev.weft.hca.cm.ConnectionEvent;
import dev.weft.hca.node.LocalFabric;
import dev.weft.pvfs.wire.NoEntry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Listeners without services, and who is sent from one to another. */
@Tag("actor")
@Timeout(180)
class TcpListenerTest {
  private static final long SECOND_NS = 1_000_000_000L;
  private static final TcpSettings SETTINGS = new TcpSettings("127.0.0.1:0", "", false, 16, 20 * SECOND_NS, 30 * SECOND_NS);

  @TempDir private Path directory;
  private final LocalFabric fabric = LocalFabric.start(TcpFileSystem.OF_CLIENTS);
  private FabricSecret secret;

  @BeforeEach
  void makeSecret() throws IOException {
    secret = FabricSecret.readOrMake(directory.resolve("secret"));
  }

  @AfterEach
  void close() {
    fabric.close();
  }

  /** What the actor of a client is told. */
  private byte[] refusal(TcpListener of) throws IOException {
    TestProbe<ConnectionEvent> events = TestProbe.create(ConnectionEvent.class, fabric.system());
    TestProbe<String> owner = TestProbe.create(String.class, fabric.system());
    try (TcpTransport transport = new TcpTransport(TcpAddress.parse(of.address()), secret, SETTINGS)) {
      transport.dialer(1000, null, owner.getRef(), "look", events.getRef()).connect("io-0", "pvfs-io", new byte[0], "this one");
      return events.expectMessageClass(ConnectionEvent.Rejected.class, Duration.ofSeconds(20)).privateData();
    }
  }

  @Test
  void shouldSendNobodyToItself() throws Exception {
    TcpListener[] own = {null};
    try (TcpListener listener = TcpListener.open(SETTINGS, secret, _ -> own[0].address())) {
      own[0] = listener;
      assertArrayEquals(NoEntry.NO_SERVICE.encode(), refusal(listener));
      assertEquals(1, listener.counts().letIn());
    }
  }

  @Test
  void shouldNotBeReachedWhereEachSendsToTheOther() throws Exception {
    TcpListener[] two = {null, null};
    try (TcpListener one = TcpListener.open(SETTINGS, secret, _ -> two[1].address());
        TcpListener other = TcpListener.open(SETTINGS, secret, _ -> two[0].address())) {
      two[0] = one;
      two[1] = other;
      assertArrayEquals(NoEntry.UNREACHABLE.encode(), refusal(one));
    }
  }

  @Test
  void shouldNotSendAClientOffItsHost() throws Exception {
    InetSocketAddress here = TcpAddress.parse("127.0.0.1:7700");
    try (TcpTransport transport = new TcpTransport(here, secret, SETTINGS)) {
      String why = assertThrows(IOException.class, () -> transport.elsewhere(here, answer("192.0.2.1:7701"))).getMessage();
      assertEquals("127.0.0.1:7700 says that the service is at 192.0.2.1:7701, which is not on this host: connect to an address that other hosts reach", why);
      assertEquals(TcpAddress.parse("[::1]:7701"), transport.elsewhere(here, answer("[::1]:7701")));
      assertEquals(TcpAddress.parse("127.0.0.1:7701"), transport.elsewhere(here, answer("0.0.0.0:7701")));
      assertEquals(TcpAddress.parse("192.0.2.2:7701"), transport.elsewhere(TcpAddress.parse("192.0.2.1:7700"), answer("192.0.2.2:7701")));
    }
  }

  private static byte[] answer(String address) {
    return ("\002" + address).getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void shouldTakeClientsAgainAfterItCouldNot() {
    AtomicInteger calls = new AtomicInteger();
    List<SocketChannel> taken = new ArrayList<>();
    TcpListener.acceptWhile(() -> calls.get() < 3, () -> {
      if (calls.incrementAndGet() == 1) {
        throw new IOException("Too many open files");
      }
      return null;
    }, taken::add);
    assertEquals(2, taken.size());
  }

  @Test
  void shouldNoticeAHostThatIsGone() throws Exception {
    try (SocketChannel socket = SocketChannel.open()) {
      TcpOptions.set(socket);
      if (socket.supportedOptions().contains(ExtendedSocketOptions.TCP_KEEPIDLE)) {
        assertEquals(10, socket.getOption(ExtendedSocketOptions.TCP_KEEPIDLE));
        assertEquals(5, socket.getOption(ExtendedSocketOptions.TCP_KEEPINTERVAL));
        assertEquals(3, socket.getOption(ExtendedSocketOptions.TCP_KEEPCOUNT));
      }
    }
  }
}
