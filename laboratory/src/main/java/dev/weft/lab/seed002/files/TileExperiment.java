package dev.weft.lab.seed002.files;

import dev.weft.lab.hosts.HardwareProfile;
import dev.weft.lab.repro.Findings;
import dev.weft.lab.repro.Measured;
import dev.weft.lab.repro.Setting;
import dev.weft.lab.repro.plot.Chart;
import dev.weft.lab.repro.plot.Chart.Series;
import java.util.List;
import java.util.Map;

/** Figure 14 of seed 002: mpi-tile-io with and without list I/O, TCP and verbs. */
public final class TileExperiment extends FileExperiment {
  private static final int ROWS = 768;
  private static final double PERCENT = 100;

  /** Named by its ServiceLoader entry. */
  public TileExperiment() {
    super("pvfs-tile", "seed 002 Figure 14: mpi-tile-io of 72 MB, 2 x 2 tiles, four I/O nodes, with and without list I/O",
        List.of("pvfs.tile.list.read", "pvfs.tile.list.write", "pvfs.tile.nolist.read", "pvfs.tile.nolist.write"));
  }

  @Override
  public Map<String, String> choices() {
    return Map.of("pvfs.tile.list.read", TCP_CHOICE, "pvfs.tile.list.write", TCP_CHOICE, "pvfs.tile.nolist.read", TCP_CHOICE, "pvfs.tile.nolist.write",
        TCP_CHOICE);
  }

  @Override
  Findings run(HardwareProfile profile, Setting setting) {
    Contiguous.Result verbs = Tiles.run(profile, setting.seed(), Transport.VERBS, ramfs(setting), 1, ROWS);
    Contiguous.Result tcp = Tiles.run(profile, setting.seed(), Transport.TCP, ramfs(setting), 1, ROWS);
    Contiguous.Result verbsList = Tiles.run(profile, setting.seed(), Transport.VERBS, ramfs(setting), Tiles.LISTED, ROWS);
    Contiguous.Result tcpList = Tiles.run(profile, setting.seed(), Transport.TCP, ramfs(setting), Tiles.LISTED, ROWS);
    double listRead = verbsList.read().rate() / tcpList.read().rate();
    double listWrite = verbsList.write().rate() / tcpList.write().rate();
    double read = verbs.read().rate() / tcp.read().rate();
    double write = verbs.write().rate() / tcp.write().rate();
    return new Findings()
        .row("pvfs.tile.list.read", Measured.value(listRead))
        .row("pvfs.tile.list.write", Measured.value(listWrite))
        .row("pvfs.tile.nolist.read", Measured.value(PERCENT * (read - 1)))
        .row("pvfs.tile.nolist.write", Measured.value(PERCENT * (write - 1)))
        .check("list I/O gains more from verbs than separate accesses", listRead > read && listWrite > write, "")
        .check("list I/O is faster over either transport", verbsList.read().rate() > verbs.read().rate() && verbsList.write().rate() > verbs.write().rate()
            && tcpList.read().rate() > tcp.read().rate() && tcpList.write().rate() > tcp.write().rate(), "")
        .chart(Chart.bars("pvfs-fig14-tile", "Seed 002 Figure 14: tiled access", "MB/s", List.of("read", "write", "list read", "list write"),
            List.of(bars("verbs", verbs, verbsList), bars("TCP", tcp, tcpList))));
  }

  private static Series bars(String name, Contiguous.Result separate, Contiguous.Result listed) {
    return Series.bars(name, false, separate.read().rate(), separate.write().rate(), listed.read().rate(), listed.write().rate());
  }
}
