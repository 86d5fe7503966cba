package dev.weft.pvfs.tcp;

import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import jdk.net.ExtendedSocketOptions;

/** Options of all sockets, on both sides. */
final class TcpOptions {
  /** An idle connection is probed after so many seconds, */
  private static final int IDLE_S = 10;
  /** so often, */
  private static final int PROBES = 3;
  /** at this interval; then it is lost. */
  private static final int INTERVAL_S = 5;

  private TcpOptions() {}

  static void set(SocketChannel socket) throws IOException {
    socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
    socket.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
    setIfKnown(socket, ExtendedSocketOptions.TCP_KEEPIDLE, IDLE_S);
    setIfKnown(socket, ExtendedSocketOptions.TCP_KEEPINTERVAL, INTERVAL_S);
    setIfKnown(socket, ExtendedSocketOptions.TCP_KEEPCOUNT, PROBES);
  }

  /** Not every system has these options; the kernel's defaults apply there. */
  private static void setIfKnown(SocketChannel socket, SocketOption<Integer> option, int value) throws IOException {
    if (socket.supportedOptions().contains(option)) {
      socket.setOption(option, value);
    }
  }
}
