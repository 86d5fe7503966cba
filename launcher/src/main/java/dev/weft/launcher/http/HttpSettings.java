package dev.weft.launcher.http;

import com.typesafe.config.Config;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;

/**
 * Settings of {@code weft.http}; {@code reference.conf} explains each.
 *
 * @param host name or address on which the port listens
 * @param port TCP port, 0 for a free one
 * @param allowRemote whether {@code host} may be a non-loopback address
 * @param allowUnprotected whether that is allowed without TLS or without a token
 * @param access TLS and the token
 * @param askTimeout how long an element has to answer
 * @param headerTimeout time after which a connection that has not sent its first request is closed
 * @param idleTimeout time after which an unused connection is closed
 * @param connectionsMax largest number of connections served at a time
 * @param listMax largest number of entries in one list of an answer
 */
public record HttpSettings(
    String host, int port, boolean allowRemote, boolean allowUnprotected, HttpAccess access, Duration askTimeout, Duration headerTimeout,
    Duration idleTimeout, int connectionsMax, int listMax) {

  /** Checks all values. */
  public HttpSettings {
    if (host.isBlank()) {
      throw new IllegalArgumentException("weft.http.host is empty; 127.0.0.1 is this machine only");
    }
    range("port", port, 0, 65_535);
    duration("ask-timeout", askTimeout, Duration.ofMillis(10), Duration.ofMinutes(1));
    duration("header-timeout", headerTimeout, Duration.ofMillis(100), Duration.ofHours(1));
    duration("idle-timeout", idleTimeout, Duration.ofSeconds(1), Duration.ofHours(1));
    range("connections-max", connectionsMax, 1, 1024);
    range("list-max", listMax, 1, 100_000);
  }

  /** Reads {@code weft.http}. */
  public static HttpSettings from(Config config) {
    Config http = config.getConfig("weft.http");
    return new HttpSettings(http.getString("host"), http.getInt("port"), http.getBoolean("allow-remote"),
        http.getBoolean("allow-unprotected"), HttpAccess.from(config),
        http.getDuration("ask-timeout"), http.getDuration("header-timeout"), http.getDuration("idle-timeout"), http.getInt("connections-max"),
        http.getInt("list-max"));
  }

  /** Returns the same settings with another address. */
  public HttpSettings at(String otherHost, int otherPort) {
    return new HttpSettings(otherHost, otherPort, allowRemote, allowUnprotected, access, askTimeout, headerTimeout, idleTimeout,
        connectionsMax, listMax);
  }

  /** Returns the same settings with the address {@code HOST:PORT}. Throws IllegalArgumentException if it has another form. */
  public HttpSettings at(String address) {
    int colon = address.lastIndexOf(':');
    if (colon < 1 || !address.substring(colon + 1).matches("[0-9]{1,5}")) {
      throw new IllegalArgumentException("'" + address + "' is not HOST:PORT");
    }
    return at(address.substring(0, colon), Integer.parseInt(address.substring(colon + 1)));
  }

  /**
   * Checks the address as the start does, as far as that is possible without binding it.
   *
   * @throws IOException if this host does not know the name
   * @throws IllegalArgumentException if the address is not loopback and that is not allowed
   */
  public void checkAddress() throws IOException {
    bindAddress();
  }

  /** Returns the address to bind. It is resolved once, so that the checked address is the one that is bound. */
  InetAddress bindAddress() throws IOException {
    InetAddress address;
    try {
      address = InetAddress.getByName(host);
    } catch (UnknownHostException e) {
      throw new IOException("weft.http.host = \"" + host + "\" is no name or address that this host knows", e);
    }
    if (address.isLoopbackAddress()) {
      return address;
    }
    if (!allowRemote) {
      throw new IllegalArgumentException("weft.http.host = \"" + host + "\" is not a loopback address, and anyone who reaches the port "
          + "sees the whole fabric. Use 127.0.0.1 or ::1, or set weft.http.allow-remote = on, with TLS and a token");
    }
    if (!allowUnprotected && !(access.tls() && access.needsToken())) {
      throw new IllegalArgumentException("weft.http.host = \"" + host + "\" is not a loopback address, and the port has "
          + (access.tls() ? "no token" : access.needsToken() ? "no TLS" : "neither TLS nor a token")
          + ": set weft.http.tls = on and weft.http.token-file, or weft.http.allow-unprotected = on on a network that you trust");
    }
    return address;
  }

  private static void range(String name, int value, int low, int high) {
    if (value < low || value > high) {
      throw new IllegalArgumentException("weft.http." + name + " is " + value + ", must be from " + low + " to " + high);
    }
  }

  private static void duration(String name, Duration value, Duration low, Duration high) {
    if (value.compareTo(low) < 0 || value.compareTo(high) > 0) {
      throw new IllegalArgumentException("weft.http." + name + " is " + value.toMillis() + " ms, must be from " + low.toMillis()
          + " to " + high.toMillis() + " ms");
    }
  }
}
