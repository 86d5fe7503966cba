package dev.weft.pager.nbd;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.pager.RamBlockDevice;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(20)
class UnixSocketTest {
  @TempDir Path directory;

  @Test
  void shouldReplaceOnlyASocketThatNobodyAnswers() throws Exception {
    Path path = directory.resolve("s");
    String listen = "weft.pager.nbd.listen = [\"unix:" + path + "\"]";
    try (ServerSocketChannel stale = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      stale.bind(UnixDomainSocketAddress.of(path));
    }
    assertTrue(Files.exists(path));
    try (RamBlockDevice device = new RamBlockDevice(4096)) {
      try (NbdServer server = NbdServing.serve(listen, device)) {
        assertTrue(assertThrows(IOException.class, () -> NbdServing.serve(listen, device)).getMessage().contains("answers"));
        assertTrue(Files.exists(path), "the refused server left the socket of " + server.uris() + " alone");
      }
      assertFalse(Files.exists(path));
      Files.writeString(path, "not a socket");
      assertTrue(assertThrows(IOException.class, () -> NbdServing.serve(listen, device)).getMessage().contains("not a socket"));
      assertTrue(Files.exists(path));
    }
  }
}
