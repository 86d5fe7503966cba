package dev.weft.cluster;

import com.typesafe.config.ConfigFactory;
import dev.weft.hca.node.ClusterFabric;
import dev.weft.tripwire.device.NicDevice;
import dev.weft.tripwire.file.FileClient;
import dev.weft.tripwire.file.FileException;
import dev.weft.tripwire.file.FileHandle;
import dev.weft.tripwire.nic.Nic;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * A JVM with one node that is a client of the file server at {@link #SERVER}. For a line {@link #ROUND} it writes a file of {@link
 * #FILE_BYTES}, which has its node's name, reads it again and says {@link #DONE}, or what was wrong; from a line {@link #ENDLESS} on it does
 * so without end, and says {@link #DONE} once. Arguments: media driver directory, seed, node name.
 */
public final class FileClientMain {
  static final String SERVER = "near";
  static final int FILE_BYTES = 300_000;
  static final String ROUND = "round";
  static final String ENDLESS = "endless";
  static final String DONE = "done";

  private final FileClient client;
  private final FileHandle file;
  private final MemorySegment out = Arena.global().allocate(FILE_BYTES, 8);
  private final MemorySegment in = Arena.global().allocate(FILE_BYTES, 8);
  private byte value;

  private FileClientMain(FileClient client, String name) throws FileException {
    this.client = client;
    file = client.create(client.root(), name).handle();
  }

  public static void main(String[] arguments) throws Exception {
    ClusterFabric fabric = PeerMain.join(Path.of(arguments[0]), List.of(arguments[1]));
    Nic nic = NicDevice.start(fabric, fabric.addNode(arguments[2]));
    nic.reach(SERVER);
    FileClientMain main = new FileClientMain(FileClient.connect(nic, SERVER, ConfigFactory.load()), arguments[2]);
    System.out.println("ready");
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      System.out.println(main.round());
      while (line.equals(ENDLESS)) {
        main.round();
      }
    }
    main.client.close();
    fabric.close();
    System.exit(0);
  }

  private String round() throws FileException {
    out.fill(++value);
    int most = client.transferMaxBytes();
    for (int at = 0; at < FILE_BYTES; at += most) {
      client.write(file, at, out, at, Math.min(most, FILE_BYTES - at));
    }
    client.commit(file);
    for (int at = 0; at < FILE_BYTES; at += most) {
      client.read(file, at, in.asSlice(at), Math.min(most, FILE_BYTES - at));
    }
    return in.mismatch(out) == -1 ? DONE : "byte " + in.mismatch(out) + " is another";
  }
}
