package dev.weft.tripwire.ip;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.SplittableRandom;

/**
 * A process that knows nothing of CLAN: {@code serve PORT BYTES} or {@code call ADDRESS PORT BYTES}. The caller sends first, then the server;
 * each says the SHA-256 of what it has sent and of what it has got.
 */
final class TransferPeer {
  private TransferPeer() {}

  public static void main(String[] arguments) throws IOException, NoSuchAlgorithmException {
    if (arguments[0].equals("serve")) {
      try (ServerSocket listener = new ServerSocket(Integer.parseInt(arguments[1]))) {
        System.out.println("listening");
        try (Socket socket = listener.accept()) {
          String got = receive(socket);
          System.out.println("sent " + send(socket, 2, Integer.parseInt(arguments[2])));
          System.out.println("got " + got);
        }
      }
    } else {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress(arguments[1], Integer.parseInt(arguments[2])), 20_000);
        System.out.println("sent " + send(socket, 1, Integer.parseInt(arguments[3])));
        System.out.println("got " + receive(socket));
      }
    }
  }

  private static String send(Socket socket, long seed, int bytes) throws IOException, NoSuchAlgorithmException {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    byte[] data = new byte[bytes];
    new SplittableRandom(seed).nextBytes(data);
    OutputStream out = socket.getOutputStream();
    out.write(data);
    socket.shutdownOutput();
    return HexFormat.of().formatHex(digest.digest(data));
  }

  private static String receive(Socket socket) throws IOException, NoSuchAlgorithmException {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    InputStream in = socket.getInputStream();
    byte[] data = new byte[1 << 16];
    for (int count = in.read(data); count >= 0; count = in.read(data)) {
      digest.update(data, 0, count);
    }
    return HexFormat.of().formatHex(digest.digest());
  }
}
