package dev.weft.pager.nbd;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weft.fabric.memory.CLibrary;
import dev.weft.pager.RamBlockDevice;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class UnixSocketTest {
  @TempDir Path directory;

  @Test
  void shouldBeItsOwnersWhateverTheUmaskIs() throws Throwable {
    Path path = directory.resolve("s");
    try (RamBlockDevice device = new RamBlockDevice(4096)) {
      MethodHandle umask = CLibrary.find("umask", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_INT));
      int former = (int) umask.invokeExact(0);
      try (NbdServer server = NbdServing.serve("weft.pager.nbd.listen = [\"unix:" + path + "\"]", device)) {
        assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
        assertTrue(server.uris().getFirst().endsWith(path.toString()), server.uris().toString());
        try (SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(path)); Stream<Path> files = Files.list(directory)) {
          assertTrue(client.isConnected());
          assertEquals(List.of(path), files.toList(), "it was made elsewhere, of which nothing is left");
        }
      } finally {
        int ignored = (int) umask.invokeExact(former);
      }
    }
  }

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

  @Test
  void shouldSayWhyASocketCannotBeMade() throws Exception {
    Path file = Files.writeString(directory.resolve("file"), "");
    try (RamBlockDevice device = new RamBlockDevice(4096)) {
      for (String[] wrong : new String[][] {{"/nonexistent/x.sock", "the directory /nonexistent does not exist"},
          {file + "/x.sock", file + " is not a directory"}, {"/proc/x.sock", "no file can be created in /proc"}}) {
        String listen = "weft.pager.nbd.listen = [\"unix:" + wrong[0] + "\"]";
        assertEquals("cannot serve NBD on unix:" + wrong[0] + ": " + wrong[1],
            assertThrows(IOException.class, () -> NbdServing.serve(listen, device)).getMessage());
      }
    }
  }
}
