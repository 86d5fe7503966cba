package dev.weft.pager.nbd;

import dev.weft.fabric.files.PrivateSocket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.URLEncoder;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Parses, checks and binds the addresses to serve. */
final class NbdAddress {
  private static final String UNIX = "unix:";

  private NbdAddress() {}

  /** Binds the address {@code text}; the message of the exception says what is wrong with it. */
  static Bound bind(String text, NbdSettings settings) throws IOException {
    if (text.startsWith(UNIX)) {
      Path path = Path.of(text.substring(UNIX.length()));
      return new Bound(bindUnix(path), UnixDomainSocketAddress.of(path));
    }
    ServerSocketChannel channel = bindTcp(text, settings);
    return new Bound(channel, channel.getLocalAddress());
  }

  /**
   * Checks, without binding it, whether {@code text} is a usable address.
   *
   * @throws IllegalArgumentException if it is malformed or not allowed
   * @throws IOException if this host has no such name or directory
   */
  static void check(String text, NbdSettings settings) throws IOException {
    if (text.startsWith(UNIX)) {
      String problem = problemOf(Path.of(text.substring(UNIX.length())).toAbsolutePath().getParent());
      if (problem != null) {
        throw new IOException("cannot serve NBD on " + text + ": " + problem);
      }
    } else {
      tcp(text, settings);
    }
  }

  /** A socket and its address for clients. */
  record Bound(ServerSocketChannel channel, SocketAddress address) {}

  /** Returns the URI of an export for NBD clients. It omits the name of the default export, "". */
  static String uri(SocketAddress local, boolean tls, String export) {
    String scheme = tls ? "nbds" : "nbd";
    // The export name is the path of the URI; in a path, a plus sign does not mean a space.
    String name = encoded(export);
    if (local instanceof UnixDomainSocketAddress unix) {
      return scheme + "+unix:///" + name + "?socket=" + encoded(unix.getPath().toAbsolutePath().toString()).replace("%2F", "/");
    }
    InetSocketAddress inet = (InetSocketAddress) local;
    String host = inet.getAddress().getHostAddress();
    return scheme + "://" + (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + inet.getPort() + (name.isEmpty() ? "" : "/" + name);
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** Parses a TCP address. */
  private static InetSocketAddress tcp(String text, NbdSettings settings) throws IOException {
    int colon = text.lastIndexOf(':');
    int port = colon < 1 ? -1 : port(text.substring(colon + 1));
    if (port < 0) {
      throw new IllegalArgumentException("address '" + text + "' is not host:port with a port from 0 to 65535, nor unix:PATH");
    }
    String host = text.substring(0, colon);
    InetAddress address;
    try {
      address = InetAddress.getByName(host);
    } catch (UnknownHostException e) {
      throw new IOException("cannot serve NBD on " + text + ": '" + host + "' is not a name or address that this host can resolve", e);
    }
    if (!address.isLoopbackAddress() && !settings.protectedByTls() && !settings.allowNonLoopback()) {
      throw new IllegalArgumentException("address '" + text + "' is not loopback, and "
          + (settings.tls() == NbdSettings.Tls.REQUIRE
              ? "with weft.pager.nbd.tls-verify-client = false the server does not verify who its clients are"
              : "without weft.pager.nbd.tls = require anyone who reaches the port can read and write the device")
          + ": use a loopback address or a Unix socket, or require TLS and verify clients, or, on a network where everybody may "
          + "read and write it, set weft.pager.nbd.allow-non-loopback = true");
    }
    return new InetSocketAddress(address, port);
  }

  private static ServerSocketChannel bindTcp(String text, NbdSettings settings) throws IOException {
    InetSocketAddress address = tcp(text, settings);
    ServerSocketChannel server = ServerSocketChannel.open();
    try {
      server.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      server.bind(address, 64);
      return server;
    } catch (IOException e) {
      server.close();
      throw new IOException("cannot serve NBD on " + text + ": " + e.getMessage(), e);
    }
  }

  private static int port(String text) {
    try {
      int port = Integer.parseInt(text);
      return port > 65535 ? -1 : port;
    } catch (NumberFormatException e) {
      return -1;
    }
  }

  private static ServerSocketChannel bindUnix(Path path) throws IOException {
    removeStale(path);
    try {
      return PrivateSocket.bind(path, 64);
    } catch (IOException e) {
      throw new IOException("cannot serve NBD on unix:" + path + ": " + reason(path, e), e);
    }
  }

  /** Returns the reason of an exception whose message is only a path. */
  private static String reason(Path path, IOException e) {
    Path parent = path.toAbsolutePath().getParent();
    String problem = problemOf(parent);
    return problem != null ? problem : switch (e) {
      case AccessDeniedException denied -> "this user may not create a file in " + parent;
      case NoSuchFileException impossible -> "no file can be created in " + parent;
      case FileAlreadyExistsException other -> "another server took the path at the same time";
      case FileSystemException other when other.getReason() != null -> "a file in " + parent + ": " + other.getReason();
      default -> e.getMessage() == null ? e.toString() : e.getMessage();
    };
  }

  /** Returns the problem of the parent path; null if it is a directory or cannot be checked. */
  private static String problemOf(Path parent) {
    return parent == null ? "the path does not name a file"
        : Files.notExists(parent) ? "the directory " + parent + " does not exist"
        : Files.exists(parent) && !Files.isDirectory(parent) ? parent + " is not a directory" : null;
  }

  private static void removeStale(Path path) throws IOException {
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    if (!Files.readAttributes(path, java.nio.file.attribute.BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS).isOther()) {
      throw new IOException("cannot serve NBD on unix:" + path + ": the file is not a socket; choose another path");
    }
    try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      probe.connect(UnixDomainSocketAddress.of(path));
    } catch (java.net.ConnectException e) {
      Files.deleteIfExists(path);
      return;
    } catch (IOException e) {
      throw new IOException("cannot serve NBD on unix:" + path + ", a socket already: " + e.getMessage(), e);
    }
    throw new IOException("cannot serve NBD on unix:" + path + ": another server answers there; choose another path");
  }
}
