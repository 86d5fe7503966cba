package dev.weft.lab.trials.dsm.apps;

/** Instances of TSPLIB 95 (G. Reinelt): distances between cities, and the length of the shortest tour. */
final class Cities {
  /** Radius of the Earth in km, as in TSPLIB's type GEO. */
  private static final double RADIUS = 6378.388;
  /** As in TSPLIB: results are whole numbers, so more digits would make another instance. */
  private static final double PI = 3.141592;

  /** Rows of the lower triangle, with the diagonal. */
  private static final int[] GR17 = {
    0,
    633, 0,
    257, 390, 0,
    91, 661, 228, 0,
    412, 227, 169, 383, 0,
    150, 488, 112, 120, 267, 0,
    80, 572, 196, 77, 351, 63, 0,
    134, 530, 154, 105, 309, 34, 29, 0,
    259, 555, 372, 175, 338, 264, 232, 249, 0,
    505, 289, 262, 476, 196, 360, 444, 402, 495, 0,
    353, 282, 110, 324, 61, 208, 292, 250, 352, 154, 0,
    324, 638, 437, 240, 421, 329, 297, 314, 95, 578, 435, 0,
    70, 567, 191, 27, 346, 83, 47, 68, 189, 439, 287, 254, 0,
    211, 466, 74, 182, 243, 105, 150, 108, 326, 336, 184, 391, 145, 0,
    268, 420, 53, 239, 199, 123, 207, 165, 383, 240, 140, 448, 202, 57, 0,
    246, 745, 472, 237, 528, 364, 332, 349, 202, 685, 542, 157, 289, 426, 483, 0,
    121, 518, 142, 84, 297, 35, 29, 36, 236, 390, 238, 301, 55, 96, 153, 336, 0
  };

  /** Latitude and longitude: degrees, with minutes after the point. */
  private static final double[] BURMA14 = {
    16.47, 96.10, 16.47, 94.44, 20.09, 92.54, 22.39, 93.37, 25.23, 97.24, 22.00, 96.05, 20.47, 97.02,
    17.20, 96.29, 16.30, 97.38, 14.05, 98.12, 16.53, 97.38, 21.52, 95.59, 19.41, 97.13, 20.09, 94.55
  };

  private static final double[] ULYSSES16 = {
    38.24, 20.42, 39.57, 26.15, 40.56, 25.32, 36.26, 23.12, 33.48, 10.54, 37.56, 12.19, 38.42, 13.11, 37.52, 20.44,
    41.23, 9.10, 41.17, 13.05, 36.08, -5.21, 38.47, 15.13, 38.15, 15.35, 37.51, 15.17, 35.49, 14.32, 39.36, 19.56
  };

  private final int[][] distances;
  private final int shortest;

  private Cities(int[][] distances, int shortest) {
    this.distances = distances;
    this.shortest = shortest;
  }

  static Cities gr17() {
    return triangle(GR17, 17, 2085);
  }

  static Cities burma14() {
    return onEarth(BURMA14, 3323);
  }

  static Cities ulysses16() {
    return onEarth(ULYSSES16, 6859);
  }

  int count() {
    return distances.length;
  }

  /** Distances from one city to all. */
  int[] from(int city) {
    return distances[city];
  }

  /** Length of the shortest tour. */
  int shortest() {
    return shortest;
  }

  /** Length of the closed tour through these cities in this order. */
  int length(int[] tour) {
    int length = 0;
    for (int i = 0; i < tour.length; i++) {
      length += distances[tour[i]][tour[(i + 1) % tour.length]];
    }
    return length;
  }

  private static Cities triangle(int[] rows, int count, int shortest) {
    int[][] distances = new int[count][count];
    for (int i = 0; i < count; i++) {
      for (int j = 0; j <= i; j++) {
        distances[i][j] = rows[i * (i + 1) / 2 + j];
        distances[j][i] = distances[i][j];
      }
    }
    return new Cities(distances, shortest);
  }

  private static Cities onEarth(double[] coordinates, int shortest) {
    int count = coordinates.length / 2;
    int[][] distances = new int[count][count];
    for (int i = 0; i < count; i++) {
      for (int j = 0; j < count; j++) {
        distances[i][j] = i == j ? 0 : onEarth(coordinates, i, j);
      }
    }
    return new Cities(distances, shortest);
  }

  private static int onEarth(double[] coordinates, int i, int j) {
    double latitude = radians(coordinates[2 * i]);
    double otherLatitude = radians(coordinates[2 * j]);
    double q1 = StrictMath.cos(radians(coordinates[2 * i + 1]) - radians(coordinates[2 * j + 1]));
    double q2 = StrictMath.cos(latitude - otherLatitude);
    double q3 = StrictMath.cos(latitude + otherLatitude);
    return (int) (RADIUS * StrictMath.acos(0.5 * ((1 + q1) * q2 - (1 - q1) * q3)) + 1);
  }

  private static double radians(double degreesAndMinutes) {
    int degrees = (int) degreesAndMinutes;
    return PI * (degrees + 5 * (degreesAndMinutes - degrees) / 3) / 180;
  }
}
