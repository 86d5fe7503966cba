package dev.weft.lab.kit;

/**
 * A bug that the search must find when it is planted in a copy of the simulated code.
 *
 * @param plants of the form {@code full.name.of.Class method callee bug}, several separated by a plus sign: in that method of the class, calls of
 *     {@code callee} become calls of {@code bug} of the {@code PlantedBugs} of its package, which are in the test tree
 * @param what the effect of the bug
 * @param seedsMax the seeds from 1 to this must show it
 */
public record PlantedBug(String plants, String what, int seedsMax) {
  /** Its name for {@code weft sim --plant}: class, method and bug of its first plant. */
  public String name() {
    String[] words = plants.split("\\+")[0].strip().split(" +");
    return words[0].substring(words[0].lastIndexOf('.') + 1) + "." + words[1] + "." + words[3];
  }

  @Override
  public String toString() {
    return name() + ": " + what + " within " + seedsMax + " seeds";
  }
}
