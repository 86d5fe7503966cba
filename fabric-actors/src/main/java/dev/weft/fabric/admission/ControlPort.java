package dev.weft.fabric.admission;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.SocketChannel;

/**
 * Reserves the number of the control plane's port for one JVM until it is closed. A media driver binds the UDP port, and two JVMs that use the
 * same driver would share it without an error. So this binds the TCP port of the same number first, whether a desk listens there (in a fabric
 * with a secret) or not. Any thread.
 */
public final class ControlPort implements AutoCloseable {
  private static final int BACKLOG = 16;
  private static final int ATTEMPTS = 64;

  private final SocketChannel guard;
  private final ServerSocket desk;
  private final int port;

  private ControlPort(SocketChannel guard, ServerSocket desk, int port) {
    this.guard = guard;
    this.desk = desk;
    this.port = port;
  }

  /** Another process has the port. */
  public static final class TakenException extends IOException {
    private static final long serialVersionUID = 1;

    TakenException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  /**
   * Reserves a port.
   *
   * @param port its number; 0 for any free one
   * @param hasDesk whether a desk will admit JVMs there over TCP
   * @throws TakenException if another process has it
   */
  public static ControlPort take(InetAddress host, int port, boolean hasDesk) throws IOException {
    for (int attempt = 1; ; attempt++) {
      try {
        return bind(host, port, hasDesk);
      } catch (TakenException e) {
        if (port != 0 || attempt == ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private static ControlPort bind(InetAddress host, int port, boolean hasDesk) throws IOException {
    ControlPort taken = null;
    try {
      taken = hasDesk ? withDesk(host, port) : withoutDesk(host, port);
      new DatagramSocket(taken.port, host).close(); // The driver binds it later. This only detects errors early, and finds a number that is free for both.
      return taken;
    } catch (IOException e) {
      if (taken != null) {
        taken.close();
      }
      throw e instanceof BindException ? taken(host, taken == null ? port : taken.port, e) : e;
    }
  }

  private static ControlPort withDesk(InetAddress host, int port) throws IOException {
    ServerSocket desk = new ServerSocket(port, BACKLOG, host);
    return new ControlPort(null, desk, desk.getLocalPort());
  }

  private static ControlPort withoutDesk(InetAddress host, int port) throws IOException {
    SocketChannel guard = SocketChannel.open();
    try {
      guard.bind(new InetSocketAddress(host, port)); // Does not listen, so connections are refused.
      return new ControlPort(guard, null, ((InetSocketAddress) guard.getLocalAddress()).getPort());
    } catch (IOException e) {
      guard.close();
      throw e;
    }
  }

  /** Returns the exception for a port that cannot be bound. */
  public static TakenException taken(InetAddress host, int port, Exception why) {
    return new TakenException("port " + port + " of " + host.getHostAddress() + " is taken: " + why.getMessage(), why);
  }

  public int port() {
    return port;
  }

  /** Returns the socket for the desk that admits JVMs; null without one. */
  public ServerSocket desk() {
    return desk;
  }

  @Override
  public void close() {
    try {
      if (guard != null) {
        guard.close();
      }
      if (desk != null) {
        desk.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException("port " + port + " cannot be released", e);
    }
  }
}
