package dev.weft.pvfs.tcp;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicInteger;

/** Between clients and a listener: cuts connections after so many bytes, or changes a byte of what they carry, as often as it is told. */
final class CuttingProxy implements AutoCloseable {
  /** Bytes of a value that are no chance. */
  private static final int RUN = 64;
  private final ServerSocket server = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
  private final InetSocketAddress target;
  /** Connections to be cut still. */
  private final AtomicInteger cuts = new AtomicInteger();
  final AtomicInteger wasCut = new AtomicInteger();
  /** Bytes to be changed still. */
  final AtomicInteger flips = new AtomicInteger();
  private volatile boolean flipsRequests;
  private volatile byte flipped;
  private volatile long requestBytesMax = Long.MAX_VALUE;
  private volatile long answerBytesMax = Long.MAX_VALUE;

  CuttingProxy(InetSocketAddress target) throws IOException {
    this.target = target;
    Thread.ofVirtual().start(this::accept);
  }

  InetSocketAddress address() {
    return (InetSocketAddress) server.getLocalSocketAddress();
  }

  /** The next ones that carry more than that are cut there, so many of them. */
  void cut(int connections, long requestBytes, long answerBytes) {
    requestBytesMax = requestBytes;
    answerBytesMax = answerBytes;
    cuts.set(connections);
  }

  /** Of data that is all {@code value}, which a client sends, or is sent, the next bytes are changed, so many of them. */
  void flip(int bytes, boolean ofRequests, byte value) {
    flipsRequests = ofRequests;
    flipped = value;
    flips.set(bytes);
  }

  private void flip(byte[] some, int bytes) {
    int run = 0;
    for (int i = 0; i < bytes; i++) {
      run = some[i] == flipped ? run + 1 : 0;
      if (run == RUN && flips.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
        some[i] ^= 1;
        return;
      }
    }
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket client = server.accept();
        Socket behind = new Socket(target.getAddress(), target.getPort());
        Thread.ofVirtual().start(() -> copy(client, behind, true));
        Thread.ofVirtual().start(() -> copy(behind, client, false));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void copy(Socket from, Socket to, boolean areRequests) {
    byte[] some = new byte[8192];
    long copied = 0;
    try (from; to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int bytes = in.read(some); bytes >= 0; bytes = in.read(some)) {
        long max = areRequests ? requestBytesMax : answerBytesMax;
        if (copied + bytes > max && cuts.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
          out.write(some, 0, (int) Math.max(0, max - copied));
          wasCut.incrementAndGet();
          return;
        }
        if (areRequests == flipsRequests && flips.get() > 0) {
          flip(some, bytes);
        }
        out.write(some, 0, bytes);
        copied += bytes;
      }
    } catch (IOException closed) {
      // By one side or the other.
    }
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
