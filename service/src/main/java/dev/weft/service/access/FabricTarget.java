package dev.weft.service.access;

import dev.weft.service.CommandFailure;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.Security;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The address of a fabric: the control port of one of its JVMs. It also checks whether an address of this host can reach it.
 *
 * @param host name or IPv4 address
 * @param port port of the control plane, 1 to 65535
 */
public record FabricTarget(String host, int port) {
  /** The first control port that {@code weft up} tries. It is below the ephemeral ports. */
  public static final int FIRST_PORT = 25_520;

  private static final int PORT_MAX = 65_535;
  private static final Pattern FORM = Pattern.compile("([^:\\s]+)(?::([0-9]{1,5}))?");
  private static final long RESOLVE_NS = 5_000_000_000L;
  private static final int RESOLVE_PAUSE_MS = 250;

  static {
    Security.setProperty("networkaddress.cache.negative.ttl", "0"); // Otherwise the JVM would repeat the answer that there is no such name for 10 s.
  }
  private static final int PROBES = 3;
  private static final int PROBE_PATIENCE_MS = 200;

  /**
   * Parses {@code HOST[:PORT]}.
   *
   * @throws IllegalArgumentException if it has another form; the message names no option
   */
  public static FabricTarget of(String text) {
    Matcher matcher = FORM.matcher(text);
    int port = !matcher.matches() ? 0 : matcher.group(2) == null ? FIRST_PORT : Integer.parseInt(matcher.group(2));
    if (port < 1 || port > PORT_MAX) {
      throw new IllegalArgumentException("'" + text + "' is not HOST[:PORT] with a port from 1 to " + PORT_MAX);
    }
    return new FabricTarget(matcher.group(1), port);
  }

  /**
   * Resolves the name. Retries for some seconds, because in a cluster of containers the name of a new host may appear late.
   *
   * @throws CommandFailure if there is no such name
   */
  public InetAddress resolve() {
    long endNs = System.nanoTime() + RESOLVE_NS;
    while (true) {
      try {
        return InetAddress.getByName(host);
      } catch (UnknownHostException e) {
        if (System.nanoTime() >= endNs) {
          throw new CommandFailure("this host cannot resolve the name '" + host + "'; './weft status' on the fabric's host shows its address", e);
        }
        pause();
      }
    }
  }

  private static void pause() {
    try {
      Thread.sleep(RESOLVE_PAUSE_MS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandFailure("interrupted while resolving a name", e);
    }
  }

  /** Returns the address in the form in which the fabric knows it. */
  public String seed() {
    return resolve().getHostAddress() + ":" + port;
  }

  /** Checks what can be checked before asking the cluster, whose timeout is half a minute. */
  void checkReachableFrom(HostAddress bind) throws IOException {
    InetAddress target = resolve();
    if (bind.isLoopback() && !target.isLoopbackAddress()) {
      throw new CommandFailure("the fabric at " + this + " cannot reach this JVM at " + bind.host() + "; add --bind "
          + sourceTowards(target) + ", the address that this host has towards it");
    }
    if (target.isLoopbackAddress() && !bind.isLoopback()) {
      throw new CommandFailure(host + " is this host itself, and a fabric that listens there cannot reach " + bind.host()
          + "; omit --bind, or name another host");
    }
    probe(target, bind);
  }

  /** Returns the address of this host that others reach it at on the way from the fabric: the source address of datagrams to it. */
  String sourceTowards() {
    return sourceTowards(resolve());
  }

  private String sourceTowards(InetAddress target) {
    try (DatagramSocket socket = new DatagramSocket()) {
      socket.connect(target, port);
      return socket.getLocalAddress().getHostAddress();
    } catch (SocketException | java.io.UncheckedIOException e) {
      throw new CommandFailure("there is no route from this host to " + host + ": " + e.getMessage());
    }
  }

  /**
   * Probes the port by datagrams of one byte, which a media driver ignores. If no program listens there, the host reports that, unless a
   * firewall blocks the report.
   */
  private void probe(InetAddress target, HostAddress bind) throws IOException {
    try (DatagramSocket socket = new DatagramSocket(0, bind.address())) {
      socket.connect(new InetSocketAddress(target, port));
      socket.setSoTimeout(PROBE_PATIENCE_MS);
      for (int i = 0; i < PROBES; i++) {
        socket.send(new DatagramPacket(new byte[1], 1));
        awaitRefusal(socket);
      }
    } catch (PortUnreachableException e) {
      throw new CommandFailure("no fabric listens at " + this + "; './weft status' on its host shows its address"
          + (target.isLoopbackAddress() ? "" : ", and it must have been started by './weft up --bind " + host + "' there"));
    } catch (SocketException e) {
      throw new CommandFailure("there is no route from " + bind.host() + " to " + this + ": " + e.getMessage()
          + "; the address that this host has towards it is " + sourceTowards(target));
    }
  }

  private static void awaitRefusal(DatagramSocket socket) throws IOException {
    try {
      socket.receive(new DatagramPacket(new byte[1], 1));
    } catch (SocketTimeoutException e) {
      return; // The expected case: a media driver does not answer.
    }
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
