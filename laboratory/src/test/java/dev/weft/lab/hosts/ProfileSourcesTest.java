package dev.weft.lab.hosts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A profile is calibrated on {@code calibrate} rows only, every number says where it comes from, and no model knows a prediction. */
class ProfileSourcesTest {
  private static final Path ROOT = Path.of(System.getProperty("weft.root", ".."));
  private static final List<String> PRODUCT = List.of("fabric-actors", "hca-actor", "service", "tripwire-actors", "pager-actors");
  private static final Path LABORATORY = Path.of("laboratory/src/main");
  private static final Pattern ROW = Pattern.compile("row: *([a-z0-9.]+[a-z0-9])");
  private static final Pattern NUMBER = Pattern.compile("^\\s*(?:\"?[\\w.-]+\"?)\\s*=\\s*[\\d.].*$");
  private static final Pattern SOURCE = Pattern.compile("#.*(row:|seed 00[0-4]|source:|assumed)");

  private static final Pattern READS_FIGURES = Pattern.compile("\"[^\"\n]*figures|lab\\.figures", Pattern.CASE_INSENSITIVE);

  /** A string that is the file's name or ends with it, not a sentence that mentions it. */
  private static final Pattern NAMES_THE_FILE = Pattern.compile("\"[^\"\\s]*figures\\.csv\"");

  /** Row id to use: calibrate, predict or reference. */
  private static Map<String, String> rows() throws IOException {
    Map<String, String> rows = new LinkedHashMap<>();
    for (String line : read("figures.csv").lines().skip(1).toList()) {
      rows.put(line.substring(0, line.indexOf(',')), line.substring(line.lastIndexOf(',') + 1));
    }
    assertTrue(rows.size() > 100, "figures.csv has " + rows.size() + " rows");
    return rows;
  }

  private static String read(String resource) throws IOException {
    try (InputStream in = ProfileSourcesTest.class.getClassLoader().getResourceAsStream(resource)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** With its TCP paths, if it has any. */
  private static String profile(String name) throws IOException {
    String tcp = "tcp/" + name + ".conf";
    boolean hasTcp = ProfileSourcesTest.class.getClassLoader().getResource(tcp) != null;
    return read("profiles/" + name + ".conf") + (hasTcp ? read(tcp) : "");
  }

  @Test
  void shouldCalibrateOnCalibrateRowsOnly() throws IOException {
    Map<String, String> rows = rows();
    for (String name : HardwareProfile.NAMES) {
      Matcher row = ROW.matcher(profile(name));
      int count = 0;
      for (; row.find(); count++) {
        assertEquals("calibrate", rows.get(row.group(1)), name + " names row " + row.group(1));
      }
      assertTrue(count > 0 || name.equals("modern"), name + " is calibrated on nothing");
    }
  }

  @Test
  void shouldSayWhereEachNumberComesFrom() throws IOException {
    List<String> without = new ArrayList<>();
    for (String name : HardwareProfile.NAMES) {
      for (String line : profile(name).lines().toList()) {
        if (NUMBER.matcher(line).matches() && !SOURCE.matcher(line).find()) {
          without.add(name + ": " + line.strip());
        }
      }
    }
    assertEquals(List.of(), without);
  }

  private static List<Path> files(Path folder, Predicate<Path> wanted) throws IOException {
    try (Stream<Path> tree = Files.walk(ROOT.resolve(folder))) {
      return tree.filter(Files::isRegularFile).filter(wanted).sorted().toList();
    }
  }

  /** What makes results in the laboratory: all that neither is the report nor speaks to it. */
  private static List<Path> resultsOfTheLaboratory() throws IOException {
    Path report = ROOT.resolve(LABORATORY).resolve("java/dev/weft/lab/repro");
    return files(LABORATORY, file -> !file.startsWith(report) && !file.endsWith("figures.csv") && !text(file).contains("dev.weft.lab.repro"));
  }

  private static String text(Path file) {
    try {
      return Files.readString(file, StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The report prints predictions beside what came out, so it may know them; everything that makes results may not. */
  @Test
  void shouldKeepPredictionsOutOfProfilesAndModels() throws IOException {
    List<String> forbidden = rows().entrySet().stream().filter(row -> !row.getValue().equals("calibrate")).map(Map.Entry::getKey).toList();
    List<Path> files = new ArrayList<>(resultsOfTheLaboratory());
    int laboratory = files.size();
    for (String module : PRODUCT) {
      files.addAll(files(Path.of(module, "src/main"), file -> true));
    }
    List<String> found = new ArrayList<>();
    for (Path file : files) {
      String text = text(file);
      forbidden.stream().filter(id -> mentions(text, id)).forEach(id -> found.add(file + " mentions " + id));
    }
    assertEquals(List.of(), found);
    assertTrue(laboratory > 50 && files.size() > 300, "only " + laboratory + " and " + files.size() + " files were looked at under " + ROOT);
  }

  @Test
  void shouldReadNoFiguresWhereCostsAreCharged() throws IOException {
    List<Path> files = new ArrayList<>(resultsOfTheLaboratory());
    // These read calibrate rows: the reader itself, and a profile that compares its numbers with them.
    files.removeIf(file -> file.getParent().endsWith("lab/figures") || file.endsWith("hosts/SwapProfile.java"));
    for (String folder : List.of("fabric-actors/src/main/java/dev/weft/fabric/host", "fabric-actors/src/main/java/dev/weft/fabric/link",
        "hca-actor/src/main/java")) {
      files.addAll(files(Path.of(folder), file -> true));
    }
    assertEquals(List.of(), files.stream().filter(file -> file.toString().endsWith(".java") && READS_FIGURES.matcher(text(file)).find())
        .map(Path::toString).toList());
  }

  /** ArchitectureTest sees who uses the reader of the rows; this sees who would read the file itself. */
  @Test
  void shouldOpenTheFileOfFiguresInItsReaderOnly() throws IOException {
    List<String> found = new ArrayList<>();
    for (String module : Stream.concat(PRODUCT.stream(), Stream.of("launcher", "laboratory")).toList()) {
      for (Path file : files(Path.of(module, "src/main/java"), file -> NAMES_THE_FILE.matcher(text(file)).find())) {
        found.add(ROOT.relativize(file).toString());
      }
    }
    assertEquals(List.of("laboratory/src/main/java/dev/weft/lab/figures/Figures.java"), found);
  }

  @Test
  void shouldNoticeAnIdOnlyWhereItIsWhole() {
    assertTrue(mentions("# see dsm.isr.load.", "dsm.isr.load"));
    assertFalse(mentions("dsm.isr.loaded", "dsm.isr.load"));
  }

  private static boolean mentions(String text, String id) {
    return text.contains(id) && Pattern.compile("(?<![\\w.])" + Pattern.quote(id) + "(?![\\w]|\\.\\w)").matcher(text).find();
  }
}
