package dev.weft.launcher.cluster;

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

/** The address of the fabric to join; checks whether an address of this host can reach it. */
record JoinTarget(String host, int port) {
  private static final int PORT_MAX = 65_535;
  private static final int PROBES = 3;
  private static final int PROBE_PATIENCE_MS = 200;

  static boolean isTarget(String seed) {
    return seed.matches("[^:\\s]+:[1-9][0-9]{0,4}") && of(seed).port <= PORT_MAX;
  }

  /** Parses {@code host:port}, which must have that form; see {@link #isTarget}. */
  static JoinTarget of(String seed) {
    int colon = seed.lastIndexOf(':');
    return new JoinTarget(seed.substring(0, colon), Integer.parseInt(seed.substring(colon + 1)));
  }

  InetAddress resolve() {
    try {
      return InetAddress.getByName(host);
    } catch (UnknownHostException e) {
      throw new CommandFailure("this host cannot resolve the name '" + host + "'; './weft status' on the fabric's host shows its address");
    }
  }

  /** Returns the address in the form in which the fabric knows it. */
  String seed() {
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

  /** Returns the source address of datagrams to {@code target}. */
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
