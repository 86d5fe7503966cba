package dev.weft.fabric.files;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.atomic.AtomicInteger;

/** Unix sockets to which only their owner can connect, whatever the umask is. */
public final class PrivateSocket {
  private static final AtomicInteger MADE = new AtomicInteger();

  private PrivateSocket() {}

  /**
   * Makes a socket and listens. Others can never connect: the socket is made in a directory that they cannot enter, and then linked to its path.
   *
   * @throws FileAlreadyExistsException if a file with that name exists
   */
  public static ServerSocketChannel bind(Path path, int backlog) throws IOException {
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    Path closed = null;
    try {
      closed = closedDirectory(path.toAbsolutePath());
      Path made = closed.resolve("s");
      server.bind(UnixDomainSocketAddress.of(made), backlog);
      Files.setPosixFilePermissions(made, PosixFilePermissions.fromString("rw-------"));
      Files.createLink(path, made); // Fails if another server was quicker; a move would replace that server's socket.
      return server;
    } catch (IOException | RuntimeException e) {
      server.close();
      throw e;
    } finally {
      if (closed != null) {
        Files.deleteIfExists(closed.resolve("s"));
        Files.deleteIfExists(closed);
      }
    }
  }

  private static Path closedDirectory(Path beside) throws IOException {
    while (true) {
      try {
        // A short name, because the path of a socket can have at most 108 bytes.
        return Files.createDirectory(beside.resolveSibling(".s" + ProcessHandle.current().pid() + "-" + MADE.incrementAndGet()),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
      } catch (FileAlreadyExistsException another) {
        continue; // A process that was killed left it.
      }
    }
  }
}
