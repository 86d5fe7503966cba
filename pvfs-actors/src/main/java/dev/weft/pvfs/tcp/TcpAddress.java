package dev.weft.pvfs.tcp;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** Addresses as text: {@code host:port}, or {@code [host]:port} if the host has colons. */
public final class TcpAddress {
  private TcpAddress() {}

  /**
   * Parses an address and resolves its host.
   *
   * @throws IllegalArgumentException if it is not an address
   * @throws IOException if the name cannot be resolved
   */
  public static InetSocketAddress parse(String text) throws IOException {
    int colon = text.lastIndexOf(':');
    int port = colon < 1 ? -1 : port(text.substring(colon + 1));
    if (port < 0) {
      throw new IllegalArgumentException("address '" + text + "' is not host:port with a port from 0 to 65535");
    }
    String host = text.substring(0, colon);
    try {
      return new InetSocketAddress(InetAddress.getByName(host), port);
    } catch (UnknownHostException unknown) {
      throw new IOException("'" + host + "' is no name or address that this host knows", unknown);
    }
  }

  private static int port(String digits) {
    return digits.matches("[0-9]{1,5}") && Integer.parseInt(digits) <= 65_535 ? Integer.parseInt(digits) : -1;
  }

  /** Returns the text that {@link #parse} reads. */
  static String text(InetSocketAddress address) {
    String host = address.getAddress().getHostAddress();
    return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + address.getPort();
  }
}
